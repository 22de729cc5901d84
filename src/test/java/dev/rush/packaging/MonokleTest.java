package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rush.testing.Command;
import dev.rush.testing.Npm;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Monokle (monokle.mjs) finds nothing in the manifests: they meet the Pod Security Standard
 * "restricted" (PSS) and common practices (KBP), and their references resolve (LNK).
 */
class MonokleTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Secrets that no set contains: cert-manager or the user creates them. */
    private static final List<String> TLS_SECRETS = List.of("redis-tls", "rush-tls");
    /** Secrets that the user creates, except for dev. */
    private static final List<String> USER_SECRETS = List.of("rush-secret", "redis-auth");

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
        mistakes.forEach(mistake -> sets.set(mistake.toString(), objects(mistake.apply())));

        JsonNode findings = check(sets);

        assertThat(mistakes).isNotEmpty();
        assertThat(mistakes).filteredOn(mistake -> !findings.path(mistake.toString()).toString()
                .contains("\"" + mistake.rule() + " ")).isEmpty();
    }

    /** Monokle does not know Knative, so a Knative Service is passed as a Deployment. */
    private static ArrayNode objects(Packaging packaging) {
        ArrayNode objects = JSON.createArrayNode();
        for (JsonNode object : packaging.objects()) {
            ObjectNode copy = object.deepCopy();
            objects.add(Packaging.kind(object).equals("KnativeService")
                    ? copy.put("apiVersion", "apps/v1").put("kind", "Deployment") : copy);
        }
        Stream.concat(TLS_SECRETS.stream(),
                packaging.dev() ? Stream.empty() : USER_SECRETS.stream()).forEach(name ->
                objects.addObject().put("apiVersion", "v1").put("kind", "Secret")
                        .putObject("metadata").put("name", name).put("namespace", "rush"));
        return objects;
    }

    private static JsonNode check(ObjectNode sets) {
        Path input = Npm.FOLDER.resolve("manifests.json");
        Kustomize.write(input, sets.toString());
        return Kustomize.parse(Command.run("node", Npm.FOLDER.resolve("monokle.mjs").toString(),
                input.toString()).output()).get(0);
    }
}
