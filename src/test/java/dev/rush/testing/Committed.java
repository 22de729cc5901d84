package dev.rush.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A committed file that is generated from other files, and must be up to date. */
public final class Committed {
    /** Whether this run renews committed files. */
    public static final boolean RENEW = Boolean.getBoolean("rush.renew");

    private Committed() {
    }

    /** Asserts that the file has this text; {@code -Drush.renew=true} writes it instead. */
    public static void assertSame(Path file, String text) {
        if (RENEW) {
            try {
                Files.writeString(file, text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        assertThat(Sources.text(file)).as("%s, which -Drush.renew=true renews", file)
                .isEqualTo(text);
    }

    /** Writes a picture with {@code -Drush.renew=true}; otherwise asserts that there is one. */
    public static void renewed(Path file, byte[] picture) {
        if (RENEW) {
            try {
                Files.createDirectories(file.getParent());
                Files.write(file, picture);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        assertThat(file).as("which -Drush.renew=true draws").isNotEmptyFile();
    }
}
