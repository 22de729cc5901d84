package dev.rush.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pages behind the types of problems: the sections of docs/reference/problems.md, which the
 * build copies to the classes. They are rendered on the first request. The document uses
 * paragraphs, lists, bold and code; nothing else is rendered.
 */
final class ProblemPages {

    /** The document's path among the resources. */
    static final String RESOURCE = "problems.md";

    private static final class Holder {
        private static final Map<String, String> PAGES = pages(document());
    }

    private ProblemPages() {
    }

    /** The page of an outcome code as HTML, or null if there is none. */
    static @Nullable String of(String code) {
        return Holder.PAGES.get(code);
    }

    /** Each section by its heading. */
    static Map<String, String> pages(String document) {
        Map<String, String> pages = new HashMap<>();
        String[] sections = document.split("(?m)^## ");
        for (int i = 1; i < sections.length; i++) {
            String[] parts = sections[i].split("\n", 2);
            pages.put(parts[0].trim(), page(parts[0].trim(), parts[1].trim()));
        }
        return pages;
    }

    private static String page(String code, String section) {
        StringBuilder html = new StringBuilder("<!doctype html><html lang=\"en\">"
                + "<meta charset=\"utf-8\"><title>" + code + "</title><h1>" + code + "</h1>\n");
        for (String block : section.split("\n\n")) {
            if (block.startsWith("- ")) {
                html.append("<ul>");
                for (String item : block.substring(2).split("\n- ")) {
                    html.append("<li>").append(inline(item)).append("</li>\n");
                }
                html.append("</ul>\n");
            } else {
                html.append("<p>").append(inline(block)).append("</p>\n");
            }
        }
        return html.append("</html>\n").toString();
    }

    private static String inline(String text) {
        return text.replaceAll("\\s+", " ")
                .replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                .replaceAll("`([^`]+)`", "<code>$1</code>")
                .replaceAll("\\*\\*([^*]+)\\*\\*", "<strong>$1</strong>");
    }

    private static String document() {
        try (InputStream stream = Thread.currentThread().getContextClassLoader()
                .getResourceAsStream(RESOURCE)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
