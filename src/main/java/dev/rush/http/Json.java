package dev.rush.http;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON. Reading is strict: unknown fields, duplicate fields, trailing text and
 * coercions ({@code "3"}, {@code 2.0} or {@code true} for a number) are refused, so that a typo is
 * never ignored.
 */
@Singleton
public class Json {

    private static final byte[] NULL = {'n', 'u', 'l', 'l'};

    private final JsonMapper mapper = mapper();

    private static JsonMapper mapper() {
        JsonMapper mapper = JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .build();
        var text = mapper.coercionConfigFor(LogicalType.Textual);
        text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
        text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
        text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
        return mapper;
    }

    /**
     * Reads a body.
     *
     * @throws ProblemException {@code invalid-request} with the field at which reading failed
     */
    public <T> T read(byte @Nullable [] body, Class<T> type) {
        if (body == null || body.length == 0) {
            throw new ProblemException(Violations.problem("", "is missing"));
        }
        if (containsFf(body)) {
            throw new ProblemException(Violations.problem("", "is not valid JSON"));
        }
        try {
            T value = mapper.readValue(body, type);
            if (value == null) {
                throw new ProblemException(Violations.problem("", "must be an object"));
            }
            return value;
        } catch (JsonProcessingException e) {
            throw new ProblemException(problem(e));
        } catch (IOException e) {
            throw new ProblemException(Violations.problem("", "is not valid JSON"));
        }
    }

    /**
     * Reads an optional body. JSON null counts as absent, because generated clients send it.
     *
     * @return null without a body
     * @throws ProblemException {@code invalid-request} as {@link #read}
     */
    public <T> @Nullable T readOptional(byte @Nullable [] body, Class<T> type) {
        return body == null || body.length == 0 || Arrays.equals(body, NULL) ? null
                : read(body, type);
    }

    /**
     * Whether the body contains 0xFF, which never occurs in UTF-8. Jackson uses it as padding when
     * it looks up a field's name, and would not notice it at the end of one.
     */
    private static boolean containsFf(byte[] body) {
        for (byte octet : body) {
            if (octet == (byte) 0xFF) {
                return true;
            }
        }
        return false;
    }

    /** Malformed JSON is no field's fault, so only its position is reported. */
    private static Problem problem(JsonProcessingException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof InputCoercionException number) {
                return Violations.problem(path(number), "is not a valid number");
            }
            if (cause instanceof StreamReadException syntax) {
                return Violations.problem("", "is not valid JSON" + place(syntax.getLocation()));
            }
        }
        if (e instanceof UnrecognizedPropertyException unknown) {
            return Violations.problem(path(unknown), "is not a field of this request");
        }
        return e instanceof JsonMappingException value
                ? Violations.problem(path(value), "has an invalid type or value")
                : Violations.problem("", "is not valid JSON");
    }

    private static String place(JsonLocation location) {
        return location == null || location.getLineNr() < 1 ? ""
                : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    /**
     * Checks the body of a call without parameters.
     *
     * @throws ProblemException {@code invalid-request} unless it is absent or {@code {}}
     */
    public void readNothing(byte @Nullable [] body) {
        if (body != null && body.length > 0) {
            read(body, Nothing.class);
        }
    }

    /** Writes a value. */
    public byte[] write(@Nullable Object value) {
        try {
            return mapper.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String path(JsonMappingException e) {
        return e.getPath().stream()
                .map(step -> step.getFieldName() != null ? "." + printable(step.getFieldName())
                        : "[" + step.getIndex() + "]")
                .collect(Collectors.joining()).replaceFirst("^\\.", "");
    }

    private static String path(InputCoercionException e) {
        JsonParser parser = e.getProcessor();
        String pointer = parser == null ? ""
                : parser.getParsingContext().pathAsPointer().toString();
        return printable(pointer.replaceFirst("^/", "").replaceAll("/(\\d+)", "[$1]")
                .replace('/', '.'));
    }

    /** A field name from the client, truncated and sanitized before it is returned. */
    private static String printable(String name) {
        String clean = name.replaceAll("[^\\x20-\\x7e]", "?");
        return clean.length() > 64 ? clean.substring(0, 64) : clean;
    }

    /** The body of a call without parameters. */
    @io.quarkus.runtime.annotations.RegisterForReflection
    record Nothing() {
    }
}
