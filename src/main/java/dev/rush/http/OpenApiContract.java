package dev.rush.http;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.models.security.SecurityScheme;

/**
 * Adds to the OpenAPI document what operations have in common: the formats of ids, keys and users,
 * authentication, headers, and (through {@link OpenApiProblems}) the problems of each operation.
 * The details of a single operation are annotated at its resource.
 *
 * <p>A resource names the roles that may call it as scopes of {@code token}; each such requirement
 * gets an equivalent for identity by header. An operation without any needs no identity.
 */
@OpenApiFilter(OpenApiFilter.RunStage.BUILD)
public class OpenApiContract implements OASFilter {

    private static final String TOKEN = "token";
    private static final String USER = "userHeader";
    private static final String ROLES = "rolesHeader";

    private static final Map<String, String> TAGS = new TreeMap<>(Map.of(
            "Sales", "Preparing, controlling, reading and buying",
            "Orders", "Reading, confirming and returning",
            "Events", "Events, by cursor or by webhook",
            "Rains", "Preparing, controlling, reading and grabbing",
            "Operators", "Books, changes, dead letters and the blocklist",
            "Problems", "The meaning of refusals and failures"));

    private static final Map<String, String> HEADERS = new TreeMap<>(Map.of(
            "ETag", "Changes whenever anything except asOf changes",
            "Cache-Control", "no-cache: revalidate with If-None-Match",
            "Location", "The path of the order",
            "Idempotency-Replayed", "true if an earlier request with this key was accepted",
            OpenApiProblems.RETRY_AFTER, "Seconds to wait before trying again",
            "RateLimit", "What remains of the quota (r), and the seconds after which to retry (t)",
            "RateLimit-Policy",
            "The quota (q): requests per window of w seconds or, if its unit (qu) is"
                    + " concurrent-requests, how many may be open at once",
            "WWW-Authenticate", "How to authenticate (RFC 6750)"));

    private static final Map<String, String> PARAMETERS = Map.ofEntries(
            Map.entry("sale", "The sale's id, chosen when it is prepared"),
            Map.entry("rain", "The rain's id, chosen when it is prepared"),
            Map.entry("sku", "The item's id"),
            Map.entry("order", "The order's id"),
            Map.entry("webhook", "The webhook's id, chosen when it is registered"),
            Map.entry("delivery", "The delivery's id"),
            Map.entry("user", "A user; by default the caller. An order is found at once if "
                    + "operators and payers name its user"),
            Map.entry("code", "The outcome code at the end of a problem's type"),
            Map.entry("id", "The dead letter's id"),
            Map.entry("key", "Only the order under this idempotency key"),
            Map.entry("before", "Only entries prepared before this instant; next contains it"),
            Map.entry("after", "Only entries after this one; next contains it"),
            Map.entry("limit", "Maximum number of entries"),
            Map.entry("top", "Maximum number of entries"),
            Map.entry("by", "What is ranked: single grabs, or users by their sums"),
            Map.entry("state", "Only returns in this state"),
            Map.entry("history", "Whether to include the history of the order"),
            Map.entry("wait", "Maximum seconds to wait until the order is no longer accepted"),
            Map.entry("status", "Only orders with this status"),
            Map.entry("since", "Only orders placed at this instant or later"),
            Map.entry("Idempotency-Key", "Makes retries safe: the same key, user and body get "
                    + "the first response again"),
            Map.entry(Cause.NAME, "The reason, for the audit: up to 200 printable characters"),
            Map.entry("If-None-Match", "The ETag of the view that the caller already has"));

    private static final String NUMBER_PATTERN = "^[0-9]{1,18}$";

    private static final Map<String, String> PATTERNS = Map.of(
            "sale", Texts.ID_PATTERN, "rain", Texts.ID_PATTERN, "sku", Texts.ID_PATTERN,
            "webhook", Texts.ID_PATTERN, "user", Texts.USER_PATTERN,
            "after", Texts.VISIBLE_PATTERN, "key", Texts.VISIBLE_PATTERN,
            "Idempotency-Key", Texts.VISIBLE_PATTERN,
            "id", NUMBER_PATTERN, "delivery", NUMBER_PATTERN);

    /** A referenced schema has the type; generators warn about another one beside the reference. */
    @Override
    public Schema filterSchema(Schema schema) {
        if (schema.getRef() != null) {
            schema.setType(null);
        }
        return schema;
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        if (document.getPaths() == null || document.getPaths().getPathItems() == null) {
            return;
        }
        if (document.getComponents() == null) {
            document.setComponents(OASFactory.createComponents());
        }
        describe(document.getComponents());
        OpenApiProblems.describe(document.getComponents());
        document.setTags(TAGS.entrySet().stream().map(tag -> OASFactory.createTag()
                .name(tag.getKey()).description(tag.getValue())).toList());
        document.getPaths().getPathItems().forEach((path, item) ->
                item.getOperations().forEach((method, operation) -> {
                    if (method != PathItem.HttpMethod.GET && isForOperators(operation)) {
                        operation.addParameter(OASFactory.createParameter().name(Cause.NAME)
                                .in(Parameter.In.QUERY).schema(OASFactory.createSchema()
                                        .addType(SchemaType.STRING)));
                    }
                    describeParameters(operation);
                    if (takesNoBody(operation)) {
                        operation.setRequestBody(null);
                    }
                    OpenApiProblems.complete(
                            document.getComponents(), operation, path, method);
                    operation.setSecurity(both(operation.getSecurity()));
                }));
    }

    private static void describe(Components components) {
        HEADERS.forEach((name, meaning) -> components.addHeader(name, OASFactory.createHeader()
                .description(meaning).schema(OASFactory.createSchema().addType(
                        name.equals(OpenApiProblems.RETRY_AFTER) ? SchemaType.INTEGER
                                : SchemaType.STRING))));
        components.addSecurityScheme(TOKEN, OASFactory.createSecurityScheme()
                .type(SecurityScheme.Type.HTTP).scheme("bearer").bearerFormat("JWT")
                .description("For rush.identity=token: sub is the user, and groups are the roles; "
                        + "a security requirement lists the required role"));
        components.addSecurityScheme(USER, header("X-User-Id",
                "The user, with rush.identity=header and a gateway that sets it"));
        components.addSecurityScheme(ROLES, header("X-User-Roles",
                "The user's roles, separated by commas"));
    }

    private static SecurityScheme header(String name, String meaning) {
        return OASFactory.createSecurityScheme().type(SecurityScheme.Type.APIKEY)
                .in(SecurityScheme.In.HEADER).name(name).description(meaning);
    }

    /** Each requirement of a token, and its equivalent behind a gateway. */
    private static List<SecurityRequirement> both(List<SecurityRequirement> tokens) {
        List<SecurityRequirement> all = new ArrayList<>();
        if (tokens != null) {
            for (SecurityRequirement token : tokens) {
                List<String> roles = token.getScheme(TOKEN);
                SecurityRequirement headers =
                        OASFactory.createSecurityRequirement().addScheme(USER);
                all.add(token);
                all.add(roles.isEmpty() ? headers : headers.addScheme(ROLES, roles));
            }
        }
        return all;
    }

    /** Such a call accepts no body or {@code {}}, which clients need not know. */
    private static boolean takesNoBody(Operation operation) {
        return operation.getRequestBody() != null && operation.getRequestBody().getContent()
                .getMediaTypes().containsKey("application/octet-stream");
    }

    private static boolean isForOperators(Operation operation) {
        return operation.getSecurity() != null && operation.getSecurity().stream()
                .anyMatch(token -> token.getScheme(TOKEN).contains("operator"));
    }

    private static void describeParameters(Operation operation) {
        if (operation.getParameters() == null) {
            return;
        }
        for (Parameter parameter : operation.getParameters()) {
            String name = parameter.getName();
            boolean pathUser = name.equals("user") && parameter.getIn() == Parameter.In.PATH;
            if (parameter.getDescription() == null) {
                parameter.setDescription(pathUser ? "The user" : PARAMETERS.get(name));
            }
            Schema schema = parameter.getSchema();
            schema.setPattern(PATTERNS.get(name));
            if (name.equals(Cause.NAME)) {
                schema.setMaxLength(Cause.MAX);
            }
            if (name.equals("order")) {
                schema.setFormat("uuid");
            }
            if (name.equals("code")) {
                schema.setEnumeration(new ArrayList<>(OutcomeCode.problems()));
            }
        }
    }
}
