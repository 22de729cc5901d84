package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.rush.testing.Sources;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The forms of the console and the contract have the same limits. */
class ConsoleLimitsTest {
    private static final Path FORMS = Path.of("src/main/resources/pages/console/limits.js");
    private static final Path CONTRACT = Path.of("docs/reference/openapi.yaml");
    private static final Pattern LIMITS = Pattern.compile(
            "export const LIMITS = (\\{.*?\\n});", Pattern.DOTALL);
    /** The limits that a form can enforce. */
    private static final List<String> BOUNDS = List.of("minimum", "maximum", "default",
            "maxLength", "minItems", "maxItems", "enum");

    @Test
    @DisplayName("The limits of the forms are those of the contract, for all fields")
    void formsHaveTheLimitsOfTheContract() throws IOException {
        Matcher table = LIMITS.matcher(Sources.text(FORMS));
        assertThat(table.find()).as("the table in %s", FORMS).isTrue();
        JsonNode forms = new ObjectMapper().readTree(table.group(1));
        JsonNode contract = new YAMLMapper().readTree(CONTRACT.toFile())
                .at("/components/schemas");

        assertThat(facts(forms, forms)).isNotEmpty().isEqualTo(facts(forms, contract));
    }

    /** Each limit of the schemas that the forms fill, as a line. */
    private static List<String> facts(JsonNode forms, JsonNode source) {
        List<String> facts = new ArrayList<>();
        forms.fieldNames().forEachRemaining(schema -> {
            JsonNode properties = source.at("/" + schema + "/properties");
            (properties.isMissingNode() ? source.get(schema) : properties).fields()
                    .forEachRemaining(property -> BOUNDS.stream()
                            .filter(property.getValue()::has)
                            .forEach(bound -> facts.add(schema + "." + property.getKey() + " "
                                    + bound + " " + property.getValue().get(bound))));
        });
        facts.sort(String::compareTo);
        return facts;
    }
}
