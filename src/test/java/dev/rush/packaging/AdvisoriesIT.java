package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.packaging.Advisories.Library;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What was built is held against the committed advisories. */
class AdvisoriesIT {
    static final Path BILL_OF_MATERIALS = Path.of("target", Path.of(
            System.getProperty("rush.executable")).getFileName().toString()
            .replaceFirst("[.]jar$", "") + "-cyclonedx.json");

    @Test
    @DisplayName("The bill of materials names what the service stands on")
    void billOfMaterialsIsWhole() throws IOException {
        assertThat(Advisories.libraries(BILL_OF_MATERIALS)).hasSizeGreaterThan(200)
                .extracting(Library::name).contains("io.netty:netty-codec-http",
                        "io.vertx:vertx-core", "org.postgresql:postgresql");
    }

    @Test
    @DisplayName("No library has a known vulnerability that nobody has accepted")
    void noLibraryHasAnOpenAdvisory() throws IOException {
        Set<Library> libraries = Advisories.libraries(BILL_OF_MATERIALS);
        assertThat(Advisories.read().open(libraries, LocalDate.now())).isEmpty();
    }

    @Test
    @DisplayName("What is accepted is still needed")
    void noAcceptanceIsNeedless() throws IOException {
        Set<Library> libraries = Advisories.libraries(BILL_OF_MATERIALS);
        assertThat(Advisories.read().needless(libraries)).isEmpty();
    }
}
