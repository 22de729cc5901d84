package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.Advisories.Library;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Checks the libraries of the build against the committed advisories. */
class AdvisoriesIT {
    static final Path BILL_OF_MATERIALS = Path.of("target", Path.of(
            System.getProperty("rush.executable")).getFileName().toString()
            .replaceFirst("[.]jar$", "") + "-cyclonedx.json");

    @Test
    @DisplayName("The bill of materials lists the runtime libraries")
    void billOfMaterialsListsRuntimeLibraries() throws IOException {
        assertThat(Advisories.libraries(BILL_OF_MATERIALS)).hasSizeGreaterThan(200)
                .extracting(Library::name).contains("io.netty:netty-codec-http",
                        "io.vertx:vertx-core", "org.postgresql:postgresql");
    }

    @Test
    @DisplayName("Every known vulnerability of a library is accepted")
    void everyFindingIsAccepted() throws IOException {
        Set<Library> libraries = Advisories.libraries(BILL_OF_MATERIALS);
        assertThat(Advisories.read().unaccepted(libraries, LocalDate.now())).isEmpty();
    }

    @Test
    @DisplayName("Every acceptance still covers a finding")
    void everyAcceptanceIsUsed() throws IOException {
        Set<Library> libraries = Advisories.libraries(BILL_OF_MATERIALS);
        assertThat(Advisories.read().unused(libraries)).isEmpty();
    }
}
