package dev.rush.testing;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The project's own files, for tests of its rules. */
public final class Sources {
    private Sources() {
    }

    /** A function of a file. */
    public record Function(String file, String name, long lines) {
        @Override
        public String toString() {
            return file + " " + name + ": " + lines + " lines";
        }
    }

    /** A Java file: its package and its functions. */
    public record JavaFile(Path path, String packageName, List<Function> functions) {
    }

    /** Returns the files under a folder with one of these endings; none if there is no folder. */
    public static List<Path> files(String folder, String... endings) {
        if (!Files.isDirectory(Path.of(folder))) {
            return List.of();
        }
        try (Stream<Path> paths = Files.walk(Path.of(folder))) {
            return paths.filter(Files::isRegularFile)
                    .filter(path -> Stream.of(endings).anyMatch(path.toString()::endsWith))
                    .sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the text of a file. */
    public static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Parses the Java files under a folder. */
    public static List<JavaFile> java(String folder) {
        List<Path> paths = files(folder, ".java");
        List<JavaFile> parsed = new ArrayList<>();
        if (paths.isEmpty()) {
            return parsed;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(null, manager, null,
                    List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(paths));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                parsed.add(parse(unit, positions));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return parsed;
    }

    /** Parses Java texts by their paths; syntax errors are ignored. */
    public static Map<String, CompilationUnitTree> trees(Map<String, String> texts) {
        Map<String, CompilationUnitTree> trees = new TreeMap<>();
        if (texts.isEmpty()) {
            return trees;
        }
        List<JavaFileObject> files = new ArrayList<>();
        texts.forEach((path, text) -> files.add(new SimpleJavaFileObject(
                URI.create("string:///" + path), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
                return text;
            }
        }));
        JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler().getTask(
                null, null, mistake -> { }, List.of("-proc:none"), null, files);
        try {
            for (CompilationUnitTree unit : task.parse()) {
                trees.put(unit.getSourceFile().toUri().getPath().substring(1), unit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return trees;
    }

    /** Returns the functions of a Lua file, each from its first to its last line. */
    public static List<Function> lua(Path file) {
        List<Function> functions = new ArrayList<>();
        List<String> lines = text(file).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("local function ")) {
                int end = i + lines.subList(i, lines.size()).indexOf("end");
                functions.add(new Function(file.toString(), lines.get(i), end - i + 1));
            }
        }
        return functions;
    }

    private static JavaFile parse(CompilationUnitTree unit, SourcePositions positions) {
        Path path = Path.of(unit.getSourceFile().getName());
        List<Function> functions = new ArrayList<>();
        LineMap lines = unit.getLineMap();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitMethod(MethodTree method, Void none) {
                long start = positions.getStartPosition(unit, method);
                long end = positions.getEndPosition(unit, method);
                if (end >= 0) { // Otherwise the compiler generated it.
                    functions.add(new Function(path.toString(), method.getName().toString(),
                            lines.getLineNumber(end) - lines.getLineNumber(start) + 1));
                }
                return super.visitMethod(method, none);
            }
        }.scan(unit, null);
        return new JavaFile(path, String.valueOf(unit.getPackageName()), functions);
    }
}
