package dev.rush.event;

import static dev.rush.event.WebhookScene.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.TestJournal;
import dev.rush.testing.Certificates;
import dev.rush.testing.Environments;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks over TLS: connections go to an address, but the certificate has to name the host. */
class WebhookTlsTest {
    private static final String STORE = "javax.net.ssl.trustStore";
    private static final String PASSWORD = "javax.net.ssl.trustStorePassword";

    @TempDir
    Path folder;
    private Certificates good;
    private Certificates ofAnother;
    private Certificates untrusted;

    @BeforeEach
    void trust() throws Exception {
        good = Certificates.of(folder, "good", "dns:localhost");
        ofAnother = Certificates.of(folder, "another", "dns:another.example", "ip:127.0.0.1");
        untrusted = Certificates.of(folder, "untrusted", "dns:localhost");
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Certificates one : new Certificates[] {good, ofAnother}) {
            try (InputStream in = Files.newInputStream(one.certificate())) {
                store.setCertificateEntry(one.certificate().getFileName().toString(),
                        CertificateFactory.getInstance("X.509").generateCertificate(in));
            }
        }
        Path file = folder.resolve("trust.p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, "changeit".toCharArray());
        }
        System.setProperty(STORE, file.toString());
        System.setProperty(PASSWORD, "changeit");
    }

    @AfterEach
    void forget() {
        System.clearProperty(STORE);
        System.clearProperty(PASSWORD);
    }

    private static Receiver receiver(Certificates certificates) {
        return new Receiver(new HttpServerOptions().setSsl(true).setKeyCertOptions(
                new PemKeyCertOptions().addCertPath(certificates.certificate().toString())
                        .addKeyPath(certificates.key().toString())));
    }

    @Test
    @DisplayName("E1: a delivery goes only to a host with a trusted certificate for its name")
    void certificateMustNameTheHost() throws Exception {
        try (TestJournal journal = new TestJournal(Environments.ledger().freshDatabase());
                WebhookScene scene = new WebhookScene(journal, "rush.webhooks.allow-http", "",
                        "rush.webhooks.allowed-networks", "127.0.0.0/8,::1");
                Receiver right = receiver(good); Receiver wrong = receiver(ofAnother);
                Receiver stranger = receiver(untrusted)) {
            scene.webhook("https://localhost:" + right.port + "/");
            String named = scene.webhook("https://localhost:" + wrong.port + "/");
            String trusted = scene.webhook("https://localhost:" + stranger.port + "/");
            String order = scene.reserve();
            await("the right receiver has it", () -> right.accepted(order).size() == 1);
            for (String refused : new String[] {named, trusted}) {
                await("the others are retried", () -> scene.deliveries(refused, "waiting")
                        .stream().anyMatch(delivery ->
                                delivery.tries() > 1 && delivery.status() == null));
            }
            assertThat(wrong.all()).isEmpty();
            assertThat(stranger.all()).isEmpty();
        }
    }
}
