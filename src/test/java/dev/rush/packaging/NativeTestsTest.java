package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The suites listed for the native executable exist. */
class NativeTestsTest {
    private static final Path LIST = Path.of("src", "test", "native-tests.txt");
    private static final Path TESTS = Path.of("src", "test", "java", "dev", "rush");

    @Test
    @DisplayName("Each suite listed for the native executable exists and is listed once")
    void listedSuitesExist() throws IOException {
        List<String> suites = Files.readAllLines(LIST).stream()
                .filter(line -> !line.startsWith("#")).toList();

        assertThat(suites).isNotEmpty().doesNotHaveDuplicates().allSatisfy(suite ->
                assertThat(TESTS.resolve(suite.substring("**/".length()))).exists());
    }
}
