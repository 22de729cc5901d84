package dev.rush;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * docs/design.md lists each package, and dependencies follow its arrows, without cycles between
 * files.
 */
class PackagesTest {
    private static final String ROOT = "dev.rush";
    /** An entry of docs/design.md: package, purpose, arrow, packages; they may wrap. */
    private static final Pattern ENTRY = Pattern.compile(
            "^ {4}dev\\.rush\\.([\\w.]+) [^→]*→ ((?:.+,\\n {30})*.+)$", Pattern.MULTILINE);
    private static final JavaClasses CLASSES =
            new ClassFileImporter().importPath(Path.of("target/classes/dev/rush"));

    /** A file: a class with the classes nested in it. */
    private static final class Files implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
            return SliceIdentifier.of(outermost(javaClass).getName());
        }

        @Override
        public String getDescription() {
            return "files";
        }
    }

    @Test
    void packagesAreThoseOfTheDesign() {
        Set<String> packages = new TreeSet<>();
        CLASSES.forEach(javaClass -> packages.add(shortName(javaClass)));
        packages.remove("");
        assertThat(arrows().keySet()).containsExactlyInAnyOrderElementsOf(packages);
    }

    @Test
    void packagesAreNullMarked() {
        Set<String> unmarked = new TreeSet<>();
        for (JavaClass javaClass : CLASSES) {
            if (!javaClass.getPackage().isAnnotatedWith(NullMarked.class)) {
                unmarked.add(shortName(javaClass));
            }
        }
        assertThat(unmarked).isEmpty();
    }

    @Test
    void dependenciesFollowTheArrowsOfTheDesign() {
        Map<String, Set<String>> arrows = arrows();
        Set<String> wrong = new TreeSet<>();
        for (JavaClass javaClass : CLASSES) {
            for (Dependency dependency : javaClass.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass();
                // Every package may read the configuration, which stands above them all.
                if (target.getPackageName().startsWith(ROOT) && !shortName(javaClass).isEmpty()
                        && !outermost(target).getSimpleName().endsWith("Config")
                        && !shortName(target).equals(shortName(javaClass))
                        && !arrows.get(shortName(javaClass)).contains(shortName(target))) {
                    wrong.add(javaClass.getName() + " → " + target.getName());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void filesHaveNoDependencyCycles() {
        slices().assignedFrom(new Files()).should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void onlyTheRedisPackagesUseTheRedisClient() {
        noClasses().that().resideOutsideOfPackage("dev.rush.redis..")
                .should().dependOnClassesThat().resideInAnyPackage("io.vertx.redis..",
                        "io.vertx.mutiny.redis..", "io.quarkus.redis..", "redis.clients..",
                        "io.lettuce..").check(CLASSES);
    }

    @Test
    void productionCodeUsesNoTestsOrEmbeddedServers() {
        noClasses().that().resideOutsideOfPackage("dev.rush.dev..")
                .should().dependOnClassesThat().resideInAnyPackage("dev.rush.dev..",
                        "dev.rush.testing..", "org.junit..", "org.assertj..", "io.zonky..",
                        "redis.embedded..").check(CLASSES);
    }

    private static JavaClass outermost(JavaClass javaClass) {
        return javaClass.getEnclosingClass().map(PackagesTest::outermost).orElse(javaClass);
    }

    private static String shortName(JavaClass javaClass) {
        String name = javaClass.getPackageName();
        return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    }

    private static Map<String, Set<String>> arrows() {
        Map<String, Set<String>> arrows = new LinkedHashMap<>();
        Matcher entries = ENTRY.matcher(Sources.text(Path.of("docs/design.md")));
        while (entries.find()) {
            Set<String> below = new HashSet<>();
            if (!entries.group(2).startsWith("(")) {
                below.addAll(Set.of(entries.group(2).trim().split(",\\s+")));
            }
            arrows.put(entries.group(1), below);
        }
        assertThat(arrows).containsKeys("sale", "redis", "http");
        return arrows;
    }
}
