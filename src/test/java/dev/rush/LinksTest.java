package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Sources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every relative link of every document leads to a file, and its anchor to a heading there. */
class LinksTest {
    /** {@code [text](path#anchor)}, without links to other sites. */
    private static final Pattern LINK =
            Pattern.compile("]\\((?![a-z]+:)([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *#*$");
    private static final Pattern FENCED = Pattern.compile("(?ms)^ *(```|~~~).*?^ *\\1 *$");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
    /** A path of this project named in a document. */
    private static final Pattern NAMED_PATH = Pattern.compile(
            "`((?:src|docs|k8s|bench|examples|\\.ci|\\.mvn)(?:/[\\w.-]+)*/?)`");

    @Test
    void linksLeadSomewhere() {
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            String text = withoutCode(Sources.text(document));
            for (MatchResult link : LINK.matcher(text).results().toList()) {
                Path target = link.group(1).isEmpty() ? document
                        : document.resolveSibling(link.group(1)).normalize();
                if (!Files.exists(target)) {
                    broken.add(document + ": no file " + link.group(1));
                } else if (link.group(2) != null && !anchors(target).contains(link.group(2))) {
                    broken.add(document + ": no anchor " + link.group(1) + "#" + link.group(2));
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void pathsThatDocumentsNameExist() {
        List<String> missing = new ArrayList<>();
        for (Path document : documents()) {
            NAMED_PATH.matcher(Sources.text(document)).results()
                    .map(path -> path.group(1)).filter(path -> !Files.exists(Path.of(path)))
                    .forEach(path -> missing.add(document + ": " + path));
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void everyDocumentIsReachedFromTheReadme() {
        Set<Path> reached = new HashSet<>();
        reach(Path.of("README.md"), reached);
        assertThat(documents()).allMatch(reached::contains, "is reached from README.md by links");
    }

    @Test
    void anchorsAreThoseOfGitHub() {
        assertThat(anchors("# One, *two* & `/three`!\n\n## a_b [c](d.md)\n\n"
                + "```sh\n# no\n```\n\n# X\n\n## X\n"))
                .containsExactlyInAnyOrder("one-two--three", "a_b-c", "x", "x-1");
    }

    private static void reach(Path document, Set<Path> reached) {
        if (!reached.add(document) || !document.toString().endsWith(".md")) {
            return;
        }
        LINK.matcher(withoutCode(Sources.text(document))).results()
                .filter(link -> !link.group(1).isEmpty())
                .map(link -> document.resolveSibling(link.group(1)).normalize())
                .filter(Files::exists).map(LinksTest::page)
                .forEach(target -> reach(target, reached));
    }

    /** GitHub shows a folder by its README. */
    private static Path page(Path target) {
        return Files.isDirectory(target) ? target.resolve("README.md") : target;
    }

    private static Set<String> anchors(Path document) {
        return anchors(Sources.text(document));
    }

    /** The anchors that GitHub gives the headings of a document. */
    private static Set<String> anchors(String text) {
        Map<String, Integer> seen = new HashMap<>();
        Set<String> anchors = new HashSet<>();
        HEADING.matcher(FENCED.matcher(text).replaceAll("")).results().forEach(heading -> {
            String anchor = heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "")
                    .replace(' ', '-');
            int earlier = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(earlier == 0 ? anchor : anchor + "-" + earlier);
        });
        return anchors;
    }

    private static String withoutCode(String text) {
        return CODE.matcher(FENCED.matcher(text).replaceAll("")).replaceAll("");
    }

    /** All Markdown files, without build output. */
    private static List<Path> documents() {
        List<Path> documents = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of(""))) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (String folder : List.of("docs", "k8s", "bench", "src")) {
            documents.addAll(Sources.files(folder, ".md"));
        }
        // Not the whole folder: a generated client brings documents of its own.
        documents.add(Path.of("examples", "shop", "README.md"));
        return documents;
    }
}
