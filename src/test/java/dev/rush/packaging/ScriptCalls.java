package dev.rush.packaging;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What one Java file says of keys: which methods make them, and of which partition each key is that
 * it hands to a script. Keys are followed through lists, streams and local variables; what is
 * written in another way is told as such, so that nothing passes unseen.
 */
final class ScriptCalls {

    /** Stands for a key that callers hand in together with its partition; they are looked at. */
    static final String HANDED_IN = "handed in";

    /** Where a call takes the partition and the keys: name and number of arguments to places. */
    private static final Map<String, List<Integer>> CALLS = Map.of(
            "script/4", List.of(1, 2), "change/4", List.of(1, 2),
            "BatchTarget/4", List.of(1, 2), "steer/4", List.of(0, 1),
            "decide/5", List.of(0, 1), "follow/5", List.of(0, 1));

    private static final List<String> OF_A_PARTITION = List.of(
            "key", "orders", "sequence", "unfinished");

    private final List<String> makers = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final List<String> literals = new ArrayList<>();

    /** A key by the method that makes it, or a text in place of that, and its partition. */
    record Key(String maker, String partition) {
    }

    /** A call of a script, or the return of a method that makes keys. */
    record Call(String where, String partition, List<Key> keys) {
    }

    private ScriptCalls() {
    }

    static ScriptCalls in(CompilationUnitTree file) {
        ScriptCalls found = new ScriptCalls();
        found.new Reader().scan(file, null);
        return found;
    }

    /** Methods that make keys of the partition that they are given first, as {@code Type.name}. */
    List<String> makers() {
        return makers;
    }

    List<Call> calls() {
        return calls;
    }

    /** Texts that begin like a key. */
    List<String> literals() {
        return literals;
    }

    /** Walks through a file with the method that it is in. */
    private final class Reader extends TreeScanner<Void, MethodTree> {

        private String type = "";

        @Override
        public Void visitClass(ClassTree tree, MethodTree method) {
            String outer = type;
            type = tree.getSimpleName().toString();
            super.visitClass(tree, method);
            type = outer;
            return null;
        }

        @Override
        public Void visitMethod(MethodTree tree, MethodTree outer) {
            if (makesKeys(tree)) {
                makers.add(type + "." + tree.getName());
            }
            return super.visitMethod(tree, tree);
        }

        @Override
        public Void visitReturn(ReturnTree tree, MethodTree method) {
            if (method != null && makesKeys(method)) {
                String partition = method.getParameters().get(0).getName().toString();
                calls.add(new Call(type + "." + method.getName(), partition,
                        new Follower(type, method).follow(tree.getExpression())));
            }
            return super.visitReturn(tree, method);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree tree, MethodTree method) {
            if (tree.getMethodSelect() instanceof MemberSelectTree select) {
                call(select.getIdentifier().toString(), tree.getArguments(), method);
            }
            return super.visitMethodInvocation(tree, method);
        }

        @Override
        public Void visitNewClass(NewClassTree tree, MethodTree method) {
            call(tree.getIdentifier().toString(), tree.getArguments(), method);
            return super.visitNewClass(tree, method);
        }

        @Override
        public Void visitLiteral(LiteralTree tree, MethodTree method) {
            if (tree.getValue() instanceof String text && text.startsWith("rush:")) {
                literals.add(text);
            }
            return null;
        }

        private void call(String name, List<? extends ExpressionTree> given, MethodTree method) {
            List<Integer> places = CALLS.get(name + "/" + given.size());
            if (places != null) {
                calls.add(new Call(type + "." + (method == null ? "" : method.getName()),
                        given.get(places.get(0)).toString(),
                        new Follower(type, method).follow(given.get(places.get(1)))));
            }
        }
    }

    private static boolean makesKeys(MethodTree method) {
        return !method.getParameters().isEmpty() && method.getReturnType() != null
                && method.getParameters().get(0).getType().toString().equals("Partition")
                && method.getReturnType().toString().matches("String|List<String>")
                && method.getModifiers().toString().contains("static");
    }

    /** Finds the keys that an expression of a method stands for. */
    private record Follower(String type, MethodTree method) {

        List<Key> follow(ExpressionTree tree) {
            if (tree instanceof ParenthesizedTree inner) {
                return follow(inner.getExpression());
            }
            if (tree instanceof ConditionalExpressionTree either) {
                return all(List.of(either.getTrueExpression(), either.getFalseExpression()));
            }
            if (tree instanceof NewClassTree list) {
                return all(list.getArguments());
            }
            if (tree instanceof IdentifierTree name) {
                return variable(name.getName().toString());
            }
            return tree instanceof MethodInvocationTree call ? made(call) : unknown(tree);
        }

        private List<Key> all(List<? extends ExpressionTree> trees) {
            return trees.stream().flatMap(tree -> follow(tree).stream()).toList();
        }

        private List<Key> made(MethodInvocationTree call) {
            List<? extends ExpressionTree> given = call.getArguments();
            if (!(call.getMethodSelect() instanceof MemberSelectTree select)) {
                return given.isEmpty() ? unknown(call)
                        : List.of(new Key(type + "." + call.getMethodSelect(),
                                given.get(0).toString()));
            }
            String name = select.getIdentifier().toString();
            String receiver = select.getExpression().toString();
            if (receiver.equals("List")) {
                return all(given);
            }
            if (name.equals("toList")) {
                return follow(select.getExpression());
            }
            if (name.equals("map") && given.get(0) instanceof LambdaExpressionTree lambda
                    && lambda.getBody() instanceof ExpressionTree body) {
                return follow(body);
            }
            if (Character.isUpperCase(receiver.charAt(0)) && !given.isEmpty()) {
                return List.of(new Key(receiver + "." + name, given.get(0).toString()));
            }
            return OF_A_PARTITION.contains(name)
                    ? List.of(new Key("Partition." + name, receiver)) : unknown(call);
        }

        /** Everything that a local variable begins with, and what is added to it. */
        private List<Key> variable(String name) {
            List<Key> keys = new ArrayList<>();
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitVariable(VariableTree tree, Void none) {
                    if (tree.getName().contentEquals(name)) {
                        keys.addAll(tree.getInitializer() == null
                                ? handedIn(tree) : follow(tree.getInitializer()));
                    }
                    return super.visitVariable(tree, none);
                }

                @Override
                public Void visitMethodInvocation(MethodInvocationTree tree, Void none) {
                    if (tree.getMethodSelect().toString().matches(name + "[.](add|addAll)")) {
                        keys.addAll(follow(tree.getArguments().get(
                                tree.getArguments().size() - 1)));
                    }
                    return super.visitMethodInvocation(tree, none);
                }
            }.scan(method, null);
            return keys;
        }

        private List<Key> handedIn(VariableTree variable) {
            List<? extends VariableTree> taken = method.getParameters();
            List<Integer> places = CALLS.get(method.getName() + "/" + taken.size());
            return places != null && taken.indexOf(variable) == places.get(1)
                    ? List.of(new Key(HANDED_IN, taken.get(places.get(0)).getName().toString()))
                    : unknown(variable);
        }

        private static List<Key> unknown(Tree tree) {
            return List.of(new Key(tree.toString(), ""));
        }
    }
}
