package dev.rush;

import java.util.List;
import java.util.Optional;

/** Calls from web pages of other origins. */
public interface CorsConfig {

    /**
     * Origins whose pages may call, for example {@code https://shop.example}, separated by commas;
     * none by default. {@code *} admits every page, which is safe only with tokens.
     */
    Optional<List<String>> origins();
}
