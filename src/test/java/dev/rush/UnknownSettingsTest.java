package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.WithDefault;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Variables that look like settings of Rush but are not. */
class UnknownSettingsTest {
    private static final Set<String> KNOWN = Set.of("RUSH_DEADLINE", "RUSH_ROLE",
            "RUSH_CORS_ORIGINS", "RUSH_RATE_LIMIT_BURST");

    @Test
    void typosAreReportedWithTheNearestSetting() {
        assertThat(UnknownSettings.unknown(KNOWN,
                Set.of("RUSH_DEADLIN", "RUSH_RATELIMIT_BURST", "RUSH_ROLE")))
                .isEqualTo(Map.of("RUSH_DEADLIN", "RUSH_DEADLINE",
                        "RUSH_RATELIMIT_BURST", "RUSH_RATE_LIMIT_BURST"));
    }

    @Test
    void variablesOfKubernetesAndOfOthersAreIgnored() {
        assertThat(UnknownSettings.unknown(KNOWN, Set.of("RUSH_API_SERVICE_HOST",
                "RUSH_API_SERVICE_PORT", "RUSH_API_SERVICE_PORT_HTTP", "RUSH_API_PORT",
                "RUSH_PORT_8080_TCP", "RUSH_API_PORT_8080_TCP_ADDR", "RUSH_SERVICE_HOST",
                "RUSHED", "PATH"))).isEmpty();
    }

    @Test
    void everySettingWithoutADefaultIsListed() {
        Set<String> without = new TreeSet<>();
        collect(RushConfig.class, "rush.", without);
        assertThat(UnknownSettings.WITHOUT_DEFAULT).isEqualTo(without);
    }

    private static void collect(Class<?> group, String prefix, Set<String> without) {
        for (Method method : group.getMethods()) {
            String name = prefix
                    + method.getName().replaceAll("([A-Z])", "-$1").toLowerCase();
            if (method.getReturnType().isInterface()
                    && method.getReturnType().getPackageName().equals("dev.rush")) {
                collect(method.getReturnType(), name + ".", without);
            } else if (method.getAnnotation(WithDefault.class) == null) {
                without.add(name);
            }
        }
    }
}
