package dev.rush;

import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jboss.logging.Logger;

/**
 * Warns about environment variables that look like settings of Rush but are not, so that a typo is
 * noticed. Properties with dots need no warning, because an unknown one fails the start.
 */
class UnknownSettings {

    /** Keys without a default; all others are found by theirs. */
    static final Set<String> WITHOUT_DEFAULT =
            Set.of("rush.console.authorization-endpoint", "rush.console.token-endpoint",
                    "rush.cors.origins", "rush.http.client-address-header",
                    "rush.webhooks.allowed-networks");
    private static final Logger LOG = Logger.getLogger(UnknownSettings.class);
    /**
     * Variables that Kubernetes sets in each container for a Service whose name begins with rush.
     */
    private static final Pattern SERVICE_LINK = Pattern.compile("RUSH_(\\w+_)?(SERVICE_HOST"
            + "|SERVICE_PORT(_\\w+)?|PORT|PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

    void warn(@Observes StartupEvent event, Config config) {
        Set<String> known = new TreeSet<>();
        WITHOUT_DEFAULT.forEach(key -> known.add(variable(key)));
        for (ConfigSource source : config.getConfigSources()) {
            if (source.getOrdinal() == Integer.MIN_VALUE) {
                source.getPropertyNames().stream().filter(key -> key.startsWith("rush."))
                        .forEach(key -> known.add(variable(key)));
            }
        }
        unknown(known, System.getenv().keySet()).forEach((variable, nearest) -> LOG.warnf(
                "%s is not a setting of Rush and has no effect. Did you mean %s?", variable,
                nearest));
    }

    /** The variables that look like settings but are not, each with the most similar setting. */
    static Map<String, String> unknown(Set<String> known, Set<String> variables) {
        Map<String, String> unknown = new TreeMap<>();
        for (String variable : variables) {
            if (variable.startsWith("RUSH_") && !SERVICE_LINK.matcher(variable).matches()
                    && !known.contains(variable)) {
                unknown.put(variable, known.stream().min(Comparator.comparingInt(
                        setting -> distance(setting, variable))).orElse(""));
            }
        }
        return unknown;
    }

    private static String variable(String key) {
        return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
    }

    /** The Levenshtein distance. */
    private static int distance(String first, String second) {
        int[] previous = new int[second.length() + 1];
        for (int i = 0; i <= first.length(); i++) {
            int[] current = new int[second.length() + 1];
            for (int j = 0; j <= second.length(); j++) {
                if (i == 0 || j == 0) {
                    current[j] = i + j;
                } else {
                    int changed = first.charAt(i - 1) == second.charAt(j - 1) ? 0 : 1;
                    current[j] = Math.min(previous[j - 1] + changed,
                            Math.min(previous[j], current[j - 1]) + 1);
                }
            }
            previous = current;
        }
        return previous[second.length()];
    }
}
