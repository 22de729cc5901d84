package com.example.shop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import rush.client.ApiClient;

/** JSON as the generated client reads and writes it; unknown fields are ignored. */
final class Json {
    static final ObjectMapper MAPPER = ApiClient.createDefaultObjectMapper();

    private Json() {
    }

    static <T> T read(byte[] json, Class<T> type) throws IOException {
        return MAPPER.readValue(json, type);
    }

    static byte[] write(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
