package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environments;
import dev.rush.testing.TestSale;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A TypeScript client that is made from openapi.yaml compiles strictly, and works. */
class TypeScriptClientIT {

    @BeforeAll
    static void install() {
        Npm.assumeInstalled();
        Command made = Npm.run("openapi-typescript", "docs/reference/openapi.yaml",
                "-o", Npm.FOLDER.resolve("rush.d.ts").toString());
        assertThat(made.status()).as(made.output()).isZero();
    }

    @Test
    @DisplayName("X3: a client made from the document buys, reads its order and is refused")
    void clientCompilesAndWorks() {
        Command compiled = Npm.run("tsc", "--strict", "--module", "nodenext", "--target",
                "es2022", "--types", "node", "--typeRoots",
                Npm.FOLDER.resolve("node_modules/@types").toString(),
                Npm.FOLDER.resolve("client.ts").toString());
        assertThat(compiled.status()).as(compiled.output()).isZero();

        TestSale sale = TestSale.of(Environments.single(), "apple:10:1");
        Command ran = Command.attempt(Map.of(), "node", Npm.FOLDER.resolve("client.js").toString(),
                Environments.single().pod().baseUri().toString(), sale.id());
        assertThat(ran.output()).isEqualTo("1 /problems/limit-reached\n");
        assertThat(ran.status()).isZero();
    }
}
