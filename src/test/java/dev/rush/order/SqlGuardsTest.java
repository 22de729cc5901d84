package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The SQL that keeps the promises, on a real PostgreSQL: scenes that its mutants run too. */
class SqlGuardsTest {
    private static EmbeddedLedger postgres;
    private static TestLedger test;

    @BeforeAll
    static void start() {
        postgres = EmbeddedLedger.start();
        test = new TestLedger(postgres.freshDatabase(), SqlRewrite.NONE);
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
        postgres.close();
    }

    static Map<String, Scene> scenes(TestLedger test) {
        Map<String, Scene> scenes = new LinkedHashMap<>(new OrderSqlScenes(test).all());
        scenes.putAll(new LeaseSqlScenes(test).all());
        scenes.putAll(new ReturnSqlScenes(test).all());
        scenes.putAll(new SchemaSqlScenes(test).all());
        return scenes;
    }

    @TestFactory
    Stream<DynamicTest> scenes() {
        return scenes(test).entrySet().stream()
                .map(scene -> DynamicTest.dynamicTest(scene.getKey(), scene.getValue()::play));
    }

    @Test
    void eachMutantOfTheSqlIsAtOnePlace() {
        assertThat(SqlMutants.all()).hasSizeGreaterThan(20).allSatisfy(mutant ->
                assertThat(mutant.pattern().matcher(SqlMutants.source(mutant.file())).results()
                        .count()).isEqualTo(1));
    }
}
