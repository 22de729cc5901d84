package dev.rush.http;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

/** Says of every operation that an answer which is no success is a problem. */
@OpenApiFilter(OpenApiFilter.RunStage.BUILD)
public class OpenApiProblems implements OASFilter {

    private static final String NAME = "Problem";

    @Override
    public void filterOpenAPI(OpenAPI openApi) {
        if (openApi.getPaths() == null || openApi.getPaths().getPathItems() == null) {
            return;
        }
        if (openApi.getComponents() == null) {
            openApi.setComponents(OASFactory.createComponents());
        }
        openApi.getComponents().addSchema(NAME, schema());
        openApi.getComponents().addResponse(NAME, OASFactory.createAPIResponse()
                .description("A refusal or failure (RFC 9457); type is /problems/<word>")
                .content(OASFactory.createContent().addMediaType(Problem.MEDIA_TYPE.toString(),
                        OASFactory.createMediaType().schema(OASFactory.createSchema()
                                .ref("#/components/schemas/" + NAME)))));
        for (PathItem path : openApi.getPaths().getPathItems().values()) {
            path.getOperations().values().forEach(OpenApiProblems::complete);
        }
    }

    private static void complete(Operation operation) {
        if (operation.getResponses() == null) {
            operation.setResponses(OASFactory.createAPIResponses());
        }
        APIResponse reference =
                OASFactory.createAPIResponse().ref("#/components/responses/" + NAME);
        operation.getResponses().addAPIResponse("default", reference);
    }

    private static Schema schema() {
        Schema schema = OASFactory.createSchema().addType(Schema.SchemaType.OBJECT);
        for (String text : new String[] {"type", "title", "detail"}) {
            schema.addProperty(text, OASFactory.createSchema().addType(Schema.SchemaType.STRING));
            schema.addRequired(text);
        }
        return schema.addProperty("status",
                OASFactory.createSchema().addType(Schema.SchemaType.INTEGER)).addRequired("status");
    }
}
