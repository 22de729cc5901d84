package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Command;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Npm;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A TypeScript client generated from openapi.yaml compiles in strict mode and works. */
class TypeScriptClientIT {
    private static Pod pod;

    @BeforeAll
    static void install() {
        Npm.assumeInstalled();
        Command generated = Npm.run("openapi-typescript", "docs/reference/openapi.yaml",
                "-o", Npm.FOLDER.resolve("rush.d.ts").toString());
        assertThat(generated.status()).as(generated.output()).isZero();
        pod = Environments.startPod("typescript-client", Environments.single(),
                Map.of("rush.orders.sink", "postgres"));
    }

    @AfterAll
    static void stop() {
        if (pod != null) {
            pod.close();
        }
    }

    @Test
    @DisplayName("X3: a generated TypeScript client buys, replays, is refused, pays and returns")
    void clientCompilesAndWorks() {
        Command compiled = Npm.run("tsc", "--strict", "--module", "nodenext", "--target",
                "es2022", "--types", "node", "--typeRoots",
                Npm.FOLDER.resolve("node_modules/@types").toString(),
                Npm.FOLDER.resolve("client.ts").toString());
        assertThat(compiled.status()).as(compiled.output()).isZero();

        Environment environment = Environments.with(pod, Environments.single());
        TestSale sale = TestSale.of(environment, "apple:10:1", "'paymentWindow':'PT15M'");
        Command ran = Command.attempt(Map.of(), "node", Npm.FOLDER.resolve("client.js").toString(),
                pod.baseUri().toString(), sale.id());
        assertThat(ran.output()).isEqualTo("""
                replayed true
                refused /problems/limit-reached
                reserved 1
                confirmed pay-1
                returned
                """);
        assertThat(ran.status()).isZero();
    }
}
