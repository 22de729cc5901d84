package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The manifests are as Monokle wants them, by monokle.mjs: the Pod Security Standard "restricted"
 * (PSS), common practices (KBP), and references that lead somewhere (LNK).
 */
class MonokleTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What the user makes outside of these files, or cert-manager. */
    private static final List<String> MADE_BY_OTHERS = List.of("redis-tls", "rush-tls");
    private static final List<String> MADE_BY_THE_USER = List.of("rush-secret", "redis-auth");

    @BeforeAll
    static void install() {
        Kustomize.assumeKubectl();
        Npm.assumeInstalled();
    }

    @Test
    void monokleFindsNothing() {
        ObjectNode sets = JSON.createObjectNode();
        Kustomize.SETS.forEach(set -> sets.set(set, objects(Kustomize.render(set))));

        JsonNode findings = check(sets);

        assertThat(findings).hasSize(Kustomize.SETS.size());
        assertThat(findings.properties()).filteredOn(set -> !set.getValue().isEmpty()).isEmpty();
    }

    @Test
    void monokleNoticesEachMistake() {
        List<Mutation> mistakes = Mutation.all().stream().filter(Mutation::ofMonokle).toList();
        ObjectNode sets = JSON.createObjectNode();
        mistakes.forEach(mistake -> sets.set(mistake.toString(), objects(mistake.make())));

        JsonNode findings = check(sets);

        assertThat(mistakes).isNotEmpty();
        assertThat(mistakes).filteredOn(mistake -> !findings.path(mistake.toString()).toString()
                .contains("\"" + mistake.rule() + " ")).isEmpty();
    }

    /** Monokle knows the pods of a Deployment, and not those of Knative. */
    private static ArrayNode objects(Packaging packaging) {
        ArrayNode objects = JSON.createArrayNode();
        for (JsonNode object : packaging.objects()) {
            ObjectNode copy = object.deepCopy();
            objects.add(Packaging.kind(object).equals("KnativeService")
                    ? copy.put("apiVersion", "apps/v1").put("kind", "Deployment") : copy);
        }
        Stream.concat(MADE_BY_OTHERS.stream(),
                packaging.dev() ? Stream.empty() : MADE_BY_THE_USER.stream()).forEach(name ->
                objects.addObject().put("apiVersion", "v1").put("kind", "Secret")
                        .putObject("metadata").put("name", name).put("namespace", "rush"));
        return objects;
    }

    private static JsonNode check(ObjectNode sets) {
        Path input = Npm.FOLDER.resolve("manifests.json");
        Kustomize.write(input, sets.toString());
        try {
            return JSON.readTree(Command.run("node", Npm.FOLDER.resolve("monokle.mjs").toString(),
                    input.toString()).output());
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }
}
