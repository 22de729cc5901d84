package dev.rush.testing;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The HTTP calls that a Java file declares with annotations of JAX-RS. */
public final class Endpoints {
    private static final Set<String> VERBS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

    private Endpoints() {
    }

    /** Returns calls such as {@code GET /v1/sales/{sale}}; none for a file without a resource. */
    public static Set<String> of(CompilationUnitTree file) {
        Set<String> calls = new TreeSet<>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitClass(ClassTree type, Void none) {
                path(type.getModifiers()).ifPresent(root -> type.getMembers().stream()
                        .filter(MethodTree.class::isInstance).map(MethodTree.class::cast)
                        .forEach(method -> calls(root, method, calls)));
                return super.visitClass(type, none);
            }
        }.scan(file, null);
        return calls;
    }

    private static void calls(String root, MethodTree method, Set<String> calls) {
        String path = root + path(method.getModifiers()).map("/"::concat).orElse("");
        method.getModifiers().getAnnotations().stream().map(Endpoints::name)
                .filter(VERBS::contains)
                .forEach(verb -> calls.add(verb + " " + ("/" + path).replaceAll("//+", "/")
                        .replaceAll("\\{(\\w+):[^}]*}", "{$1}")));
    }

    private static Optional<String> path(ModifiersTree modifiers) {
        return modifiers.getAnnotations().stream()
                .filter(annotation -> name(annotation).equals("Path"))
                .map(annotation -> text(annotation.getArguments().get(0))).findFirst();
    }

    private static String name(AnnotationTree annotation) {
        return annotation.getAnnotationType().toString().replaceFirst(".*[.]", "");
    }

    private static String text(Tree value) {
        if (value instanceof AssignmentTree named) {
            return text(named.getExpression());
        }
        if (value instanceof LiteralTree literal) {
            return literal.getValue().toString();
        }
        throw new AssertionError("unreadable path: " + value);
    }
}
