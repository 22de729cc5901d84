package dev.rush.http;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;
import org.eclipse.microprofile.openapi.models.media.MediaType;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

/**
 * The problems of each operation in the OpenAPI document: those that its resource names ({@code
 * x-problems}, codes separated by spaces), and those that follow from its shape. All have one
 * schema, because clients distinguish them by type; each code has an example.
 */
final class OpenApiProblems {

    static final String RETRY_AFTER = "Retry-After";
    private static final String CODES = "x-problems";
    private static final String NAME = "Problem";
    private static final String VIOLATION = "Violation";
    private static final Set<HttpMethod> WITH_BODY =
            Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH);

    /** Example members of codes that have any. */
    private static final Map<OutcomeCode, Map<String, Object>> MEMBERS = new EnumMap<>(Map.of(
            OutcomeCode.INVALID_REQUEST, Map.of("violations", List.of(
                    members("field", "items[0].quantity", "message", "must be 1 to 100"))),
            OutcomeCode.UNKNOWN_ITEM, members("sku", "apple"),
            OutcomeCode.NOT_OPEN, members("opensAt", "2026-11-20T12:00:00.000Z"),
            OutcomeCode.LIMIT_REACHED,
            members("bound", "item", "limit", 1L, "taken", 1L, "sku", "apple"),
            OutcomeCode.SOLD_OUT, members("sku", "apple"),
            OutcomeCode.INSUFFICIENT_STOCK, members("sku", "apple", "left", 4L),
            OutcomeCode.BELOW_ORDERED, members("sku", "apple", "ordered", 60L),
            OutcomeCode.CURSOR_EXPIRED, members("oldest", "1.0.0"),
            OutcomeCode.RATE_LIMITED, members("retryAfter", 1),
            OutcomeCode.OUTCOME_UNKNOWN,
            members("idempotencyKey", "7f0c2b61-52a8-4b1c-9f0e-0c2a0b6d4f11")));

    static {
        MEMBERS.put(OutcomeCode.REJECTED, members("order", "0190a0c2-6a1e-7c3f-8d2b-5e4f3a2b1c0d"));
        MEMBERS.put(OutcomeCode.SALE_EXISTS, members("differs", List.of("closesAt", "items")));
        MEMBERS.put(OutcomeCode.NOT_RETIRED, members("subjects", List.of("apple-day")));
        MEMBERS.put(OutcomeCode.RAIN_EXISTS, members("differs", List.of("envelopes")));
    }

    private OpenApiProblems() {
    }

    /** The members of a code's example, in addition to those that every problem has. */
    static Map<String, Object> members(OutcomeCode code) {
        return MEMBERS.getOrDefault(code, Map.of());
    }

    private static Map<String, Object> members(Object... namesAndValues) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            members.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return members;
    }

    /** Adds the schema, an example of each code, and the default response. */
    static void describe(Components components) {
        components.addSchema(NAME, schema());
        components.addSchema(VIOLATION, violation());
        // Answers of the HTTP layer to requests that belong to no operation.
        components.addResponse(NAME, response(new TreeSet<>(Set.of("method-not-allowed",
                "not-acceptable"))).description("Any other refusal or failure"));
        for (String text : OutcomeCode.problems()) {
            OutcomeCode code = OutcomeCode.of(text);
            Map<String, Object> example = members("type", "/problems/" + text,
                    "title", code.title(), "status", code.status(), "detail", code.title() + ".");
            example.putAll(members(code));
            components.addExample(text, OASFactory.createExample().summary(code.title())
                    .value(example));
        }
    }

    /** Adds the problems of an operation, by status; a single one becomes a component. */
    static void complete(
            Components components, Operation operation, String path, HttpMethod method) {
        Map<Integer, Set<String>> codes = new TreeMap<>();
        for (String text : codes(operation, path, method)) {
            codes.computeIfAbsent(OutcomeCode.of(text).status(), status -> new TreeSet<>())
                    .add(text);
        }
        // SmallRye's default has no content.
        operation.getResponses().removeAPIResponse("400");
        codes.forEach((status, texts) -> {
            APIResponse response = response(texts);
            if (texts.size() == 1) {
                String code = texts.iterator().next();
                components.addResponse(code, response);
                response = OASFactory.createAPIResponse().ref(code);
            }
            operation.getResponses().addAPIResponse(Integer.toString(status), response);
        });
        operation.getResponses().addAPIResponse("default",
                OASFactory.createAPIResponse().ref(NAME));
    }

    private static Set<String> codes(Operation operation, String path, HttpMethod method) {
        Set<String> codes = new TreeSet<>();
        if (operation.hasExtension(CODES)) {
            codes.addAll(List.of(operation.getExtension(CODES).toString().split(" ")));
            operation.removeExtension(CODES);
        }
        if (!path.startsWith("/v1/")) {
            return codes;
        }
        codes.addAll(List.of("invalid-request", "failed", "unavailable"));
        if (operation.getSecurity() != null && !operation.getSecurity().isEmpty()) {
            codes.add("unauthenticated");
            if (!operation.getSecurity().get(0).getScheme("token").isEmpty()) {
                codes.add("forbidden");
            }
        }
        if (method != HttpMethod.GET) {
            codes.add("outcome-unknown");
        }
        if (WITH_BODY.contains(method)) {
            codes.addAll(List.of("request-timeout", "too-large", "rate-limited"));
            if (operation.getRequestBody() != null) {
                codes.add("unsupported-media-type");
            }
        }
        return codes;
    }

    private static APIResponse response(Set<String> codes) {
        List<String> meanings = new ArrayList<>();
        MediaType type = OASFactory.createMediaType().schema(ref());
        boolean retry = false;
        for (String text : codes) {
            OutcomeCode code = OutcomeCode.of(text);
            meanings.add("`" + text + "`: " + code.title() + ".");
            type.addExample(text, OASFactory.createExample().ref(text));
            retry |= code == OutcomeCode.RATE_LIMITED || code.status() >= 503;
        }
        APIResponse response = OASFactory.createAPIResponse()
                .description(String.join(" ", meanings)).content(OASFactory.createContent()
                        .addMediaType(Problem.MEDIA_TYPE.toString(), type));
        if (retry) {
            addHeader(response, RETRY_AFTER);
        }
        if (codes.contains("rate-limited")) {
            addHeader(response, "RateLimit");
            addHeader(response, "RateLimit-Policy");
        }
        if (codes.contains("unauthenticated")) {
            addHeader(response, "WWW-Authenticate");
        }
        return response;
    }

    private static void addHeader(APIResponse response, String name) {
        response.addHeader(name, OASFactory.createHeader().ref(name));
    }

    private static Schema ref() {
        return OASFactory.createSchema().ref(NAME);
    }

    private static Schema schema() {
        Schema schema = OASFactory.createSchema().addType(SchemaType.OBJECT)
                .description("A refusal or failure (RFC 9457), identified by its type");
        for (String name : List.of("type", "title", "status", "detail")) {
            schema.addRequired(name);
        }
        return schema
                .addProperty("type", text("/problems/ and the code").format("uri-reference"))
                .addProperty("title", text("A short summary of the type"))
                .addProperty("status", number("The HTTP status").format("int32"))
                .addProperty("detail", text("An explanation of this occurrence"))
                .addProperty("violations", OASFactory.createSchema().addType(SchemaType.ARRAY)
                        .items(OASFactory.createSchema().ref(VIOLATION))
                        .description("Of invalid-request: at most 20"))
                .addProperty("sku", text("Of unknown-item, sold-out, insufficient-stock, "
                        + "below-ordered, and of limit-reached if bound is item"))
                .addProperty("left", number("Of insufficient-stock: units left"))
                .addProperty("ordered", number("Of below-ordered: units ordered so far"))
                .addProperty("order", text("Of rejected: the order or grab").format("uuid"))
                .addProperty("opensAt", text("Of not-open").format("date-time"))
                .addProperty("differs", OASFactory.createSchema().addType(SchemaType.ARRAY)
                        .items(OASFactory.createSchema().addType(SchemaType.STRING))
                        .description("Of sale-exists and rain-exists: the fields of the definition "
                                + "that differ"))
                .addProperty("subjects", OASFactory.createSchema().addType(SchemaType.ARRAY)
                        .items(OASFactory.createSchema().addType(SchemaType.STRING))
                        .description("Of not-retired: sales and rains, at most "
                                + "20, then webhooks and Kafka if they are behind"))
                .addProperty("bound", text("Of limit-reached, for a purchase: which limit")
                        .enumeration(List.of("item", "orders", "holds")))
                .addProperty("limit", number("Of limit-reached: the limit"))
                .addProperty("taken", number("Of limit-reached: how much of it is used"))
                .addProperty("oldest", text("Of cursor-expired: a cursor before the oldest event "
                        + "that can be read"))
                .addProperty("retryAfter", number("Of rate-limited: seconds").format("int32"))
                .addProperty("idempotencyKey", text("Of outcome-unknown, for a purchase or grab: "
                        + "repeat the request with this key"));
    }

    private static Schema violation() {
        return OASFactory.createSchema().addType(SchemaType.OBJECT)
                .description("An invalid field of a request")
                .addProperty("field", text("Empty for the whole body"))
                .addProperty("message", text("What is wrong with it"))
                .required(List.of("field", "message"));
    }

    private static Schema text(String meaning) {
        return OASFactory.createSchema().addType(SchemaType.STRING).description(meaning);
    }

    private static Schema number(String meaning) {
        return OASFactory.createSchema().addType(SchemaType.INTEGER).format("int64")
                .description(meaning);
    }
}
