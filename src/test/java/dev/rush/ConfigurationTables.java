package dev.rush;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import dev.rush.testing.Sources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The configuration interfaces as tables: each knob with its type, default and comment. */
final class ConfigurationTables {
    private static final String HEAD = "| key | type | default | meaning |\n|---|---|---|---|\n";

    /** A method of an interface. */
    private record Knob(String name, String type, String initial, String meaning) {
    }

    /** Interfaces by their simple names. */
    private final Map<String, List<Knob>> interfaces = new LinkedHashMap<>();

    private ConfigurationTables() {
    }

    /** The table of an interface, then those of its groups. */
    static String of(String root, String prefix) {
        ConfigurationTables tables = new ConfigurationTables();
        tables.parse();
        StringBuilder text = new StringBuilder();
        tables.write(root, prefix, "Settings of the whole service.", text);
        return text.toString();
    }

    private void write(String type, String prefix, String about, StringBuilder text) {
        List<Knob> knobs = interfaces.get(type);
        text.append("\n## ").append(prefix).append("\n\n").append(about).append("\n\n")
                .append(HEAD);
        for (Knob knob : knobs) {
            if (!interfaces.containsKey(knob.type)) {
                text.append("| `").append(prefix).append('.').append(knob.name).append("` | ")
                        .append(name(knob.type)).append(" | ")
                        .append(knob.initial.isEmpty() ? "" : "`" + knob.initial + "`")
                        .append(" | ").append(knob.meaning).append(" |\n");
            }
        }
        for (Knob group : knobs) {
            if (interfaces.containsKey(group.type)) {
                write(group.type, prefix + "." + group.name, group.meaning, text);
            }
        }
    }

    private static String name(String type) {
        return switch (type) {
            case "Duration" -> "duration";
            case "int", "long" -> "integer";
            case "boolean" -> "boolean";
            case "String", "Optional<String>" -> "text";
            case "Optional<List<String>>" -> "list";
            default -> values(type);
        };
    }

    /** The values of an enum, as they are configured. */
    private static String values(String type) {
        try {
            return Arrays.stream(Class.forName("dev.rush.RushConfig$" + type).getEnumConstants())
                    .map(value -> "`" + value.toString().toLowerCase(Locale.ROOT) + "`")
                    .collect(Collectors.joining(", "));
        } catch (ClassNotFoundException e) {
            throw new AssertionError("a type without a name: " + type, e);
        }
    }

    private void parse() {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(null, manager, null,
                    List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(
                            Sources.files("src/main/java/dev/rush", "Config.java")));
            Trees trees = Trees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                new TreePathScanner<Void, Void>() {
                    @Override
                    public Void visitClass(ClassTree type, Void none) {
                        if (type.getKind() == Tree.Kind.INTERFACE) {
                            interfaces.put(type.getSimpleName().toString(),
                                    knobs(type, getCurrentPath(), trees));
                        }
                        return super.visitClass(type, none);
                    }
                }.scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Knob> knobs(ClassTree type, TreePath path, Trees trees) {
        List<Knob> knobs = new ArrayList<>();
        for (Tree member : type.getMembers()) {
            if (member instanceof MethodTree method) {
                String name = annotation(method, "WithName");
                knobs.add(new Knob(name.isEmpty() ? kebab(method.getName().toString()) : name,
                        method.getReturnType().toString(), annotation(method, "WithDefault"),
                        text(trees.getDocComment(new TreePath(path, method)))));
            }
        }
        return knobs;
    }

    private static String annotation(MethodTree method, String name) {
        for (AnnotationTree annotation : method.getModifiers().getAnnotations()) {
            if (annotation.getAnnotationType().toString().equals(name)
                    && annotation.getArguments().get(0) instanceof AssignmentTree value) {
                return ((LiteralTree) value.getExpression()).getValue().toString();
            }
            if (annotation.getAnnotationType().toString().equals(name)
                    && annotation.getArguments().get(0) instanceof LiteralTree value) {
                return value.getValue().toString();
            }
        }
        return "";
    }

    private static String kebab(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String text(String comment) {
        return comment.trim().replaceAll("\\s+", " ")
                .replaceAll("\\{@code ([^}]+)}", "`$1`")
                .replaceAll("\\{@link #?([^}]+)}", "`$1`");
    }
}
