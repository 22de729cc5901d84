package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Committed;
import dev.rush.testing.Sources;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The tables of docs/reference/configuration.md come from the configuration interfaces. */
class ConfigurationReferenceTest {
    private static final Path FILE = Path.of("docs", "reference", "configuration.md");
    private static final String MARK = "<!-- Made from the interfaces; -Drush.renew=true. -->\n";

    @Test
    void tablesMatchTheInterfaces() {
        String text = Sources.text(FILE);
        int mark = text.indexOf(MARK);
        assertThat(mark).isPositive();
        Committed.assertSame(FILE,
                text.substring(0, mark) + MARK + ConfigurationTables.of("RushConfig", "rush"));
    }
}
