package dev.rush.rain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.RushConfig.Durability;
import dev.rush.http.Json;
import dev.rush.http.ProblemException;
import dev.rush.offer.Durabilities;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** G1, G2: which requests define a rain, and which are refused without calling Redis. */
class RainDefinitionTest {

    private static final long AMOUNT_MAX = 9007199254740991L;
    private final Json json = new Json();

    private RainDefinition define(String body) {
        byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        return RainDefinition.of("r", json.read(bytes, RainRequest.class),
                new Durabilities(Durability.REDIS, true, true));
    }

    private String refusal(String body) {
        try {
            return "accepted: " + define(body);
        } catch (ProblemException e) {
            return new String(e.problem().body(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void omittedFieldsHaveDefaults() {
        assertThat(define("{'envelopes':{'total':10,'count':3,'split':'even'}}"))
                .isEqualTo(define("{'title':'r','limitPerUser':3,'envelopes':"
                        + "{'total':10,'count':3,'split':'even','min':1}}"));
    }

    @Test
    void listsOfTheSameAmountsInAnotherOrderDiffer() {
        assertThat(define("{'envelopes':{'amounts':[1,2]}}"))
                .isEqualTo(define("{'envelopes':{'amounts':[1,2]}}"))
                .isNotEqualTo(define("{'envelopes':{'amounts':[2,1]}}"));
    }

    @Test
    void totalAmountMayReachTheMaximum() {
        RainDefinition list = define("{'envelopes':{'amounts':[" + (AMOUNT_MAX - 1) + ",1]}}");
        assertThat(list.amount()).isEqualTo(AMOUNT_MAX);
        assertThat(define("{'envelopes':{'total':" + AMOUNT_MAX
                + ",'count':1000000,'split':'random-cut'}}").count()).isEqualTo(1_000_000);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "{} | envelopes",
        "{'envelopes':{}} | envelopes.total",
        "{'envelopes':{'amounts':[]}} | envelopes.amounts",
        "{'envelopes':{'amounts':[1,0]}} | envelopes.amounts[1]",
        "{'envelopes':{'amounts':[1,-5]}} | envelopes.amounts[1]",
        "{'envelopes':{'amounts':[null]}} | envelopes.amounts[0]",
        "{'envelopes':{'amounts':[1.5]}} | envelopes.amounts[0]",
        "{'envelopes':{'amounts':[2.0]}} | envelopes.amounts[0]",
        "{'envelopes':{'amounts':['3']}} | envelopes.amounts[0]",
        "{'envelopes':{'amounts':[true]}} | envelopes.amounts[0]",
        "{'envelopes':{'amounts':7}} | envelopes.amounts",
        "{'envelopes':{'amounts':[9007199254740992]}} | envelopes.amounts[0]",
        "{'envelopes':{'amounts':[9007199254740991,1]}} | envelopes.amounts",
        "{'envelopes':{'amounts':[99999999999999999999]}} | envelopes.amounts[0]",
        "{'envelopes':{'amounts':[1],'seed':1}} | envelopes",
        "{'envelopes':{'amounts':[1],'total':1}} | envelopes",
        "{'envelopes':{'total':10,'count':3}} | envelopes.split",
        "{'envelopes':{'total':10,'count':3,'split':'fair'}} | envelopes.split",
        "{'envelopes':{'total':9,'count':10,'split':'even'}} | envelopes.total",
        "{'envelopes':{'total':0,'count':1,'split':'even'}} | envelopes.total",
        "{'envelopes':{'total':9007199254740992,'count':1,'split':'even'}} | envelopes.total",
        "{'envelopes':{'total':5,'count':1000001,'split':'even'}} | envelopes.count",
        "{'envelopes':{'total':5,'count':0,'split':'even'}} | envelopes.count",
        "{'envelopes':{'total':5,'count':99999999999,'split':'even'}} | envelopes.count",
        "{'envelopes':{'total':5,'count':2,'split':'even','min':0}} | envelopes.min",
        "{'envelopes':{'total':5,'count':2,'split':'even','min':3}} | envelopes.total",
        "{'envelopes':{'total':5,'count':2,'split':'even','min':9223372036854775807}}"
            + " | envelopes.total",
        "{'envelopes':{'total':5,'count':2,'split':'even','seed':'x'}} | envelopes.seed",
        "{'limitPerUser':0,'envelopes':{'amounts':[1]}} | limitPerUser",
        "{'limitPerUser':-1,'envelopes':{'amounts':[1]}} | limitPerUser",
        "{'limitPerUser':101,'envelopes':{'amounts':[1]}} | limitPerUser",
        "{'startsAt':'soon','envelopes':{'amounts':[1]}} | startsAt",
        "{'startsAt':'2030-01-01T00:00:00Z','endsAt':'2030-01-01T00:00:00Z',"
            + "'envelopes':{'amounts':[1]}} | endsAt",
        "{'limit':3,'envelopes':{'amounts':[1]}} | limit",
    })
    void hostileDefinitionIsRefusedByField(String body, String field) {
        assertThat(refusal(body)).contains("\"field\":\"" + field + "\"");
    }

    @Test
    void listOfMoreThanFiftyThousandIsRefused() {
        String fits = String.join(",", Collections.nCopies(50_000, "1"));
        assertThat(define("{'envelopes':{'amounts':[" + fits + "]}}").amount()).isEqualTo(50_000);
        assertThatThrownBy(() -> define("{'envelopes':{'amounts':[" + fits + ",1]}}"))
                .isInstanceOf(ProblemException.class);
    }
}
