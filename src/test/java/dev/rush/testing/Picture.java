package dev.rush.testing;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;

/** Makes pictures of pages small enough for a repository. */
public final class Picture {
    private static final int COLOURS_MAX = 256;

    private Picture() {
    }

    /**
     * Returns a PNG of at most 256 colours: the most frequent ones stay, any other becomes the
     * nearest of them. On a page with few colours the difference is hardly visible.
     */
    public static byte[] reduced(byte[] png) {
        try {
            BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
            int width = image.getWidth();
            int[] pixels = image.getRGB(0, 0, width, image.getHeight(), null, 0, width);
            int[] palette = palette(pixels);
            BufferedImage reduced = new BufferedImage(width, image.getHeight(),
                    BufferedImage.TYPE_BYTE_INDEXED, new IndexColorModel(8, palette.length,
                            palette, 0, false, -1, DataBuffer.TYPE_BYTE));
            Map<Integer, Integer> nearest = new HashMap<>();
            for (int i = 0; i < pixels.length; i++) {
                int index = nearest.computeIfAbsent(pixels[i], colour -> nearest(colour, palette));
                reduced.getRaster().setSample(i % width, i / width, 0, index);
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ImageIO.write(reduced, "png", out);
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int[] palette(int[] pixels) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int pixel : pixels) {
            counts.merge(pixel, 1, Integer::sum);
        }
        List<Map.Entry<Integer, Integer>> frequent = counts.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
                .limit(COLOURS_MAX).toList();
        return frequent.stream().mapToInt(Map.Entry::getKey).toArray();
    }

    private static int nearest(int colour, int[] palette) {
        int best = 0;
        for (int i = 1; i < palette.length; i++) {
            if (distance(colour, palette[i]) < distance(colour, palette[best])) {
                best = i;
            }
        }
        return best;
    }

    private static int distance(int one, int other) {
        int sum = 0;
        for (int shift = 0; shift <= 16; shift += 8) {
            int difference = (one >> shift & 0xFF) - (other >> shift & 0xFF);
            sum += difference * difference;
        }
        return sum;
    }
}
