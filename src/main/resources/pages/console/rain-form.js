/** The form that prepares a rain, new or as a copy. */
import { count, make } from '../page.js';
import { definitionForm, group, instant, time, whole } from './definition.js';
import { LIMITS } from './limits.js';
import { RAIN } from './offers.js';
import { choice, field, heading, input, notice } from './parts.js';
import { moment } from './words.js';

const LIMIT = LIMITS.RainDefinition;
const MONEY = LIMITS.Envelopes;
const LIST = 'list';
const SPLITS = {
  'double-mean': ['random (double mean)', 'Up to twice the mean of the rest.'],
  'random-cut': ['random (random cuts)', 'A few large amounts, many small ones.'],
  even: ['even', 'Amounts differ by at most one.'],
  [LIST]: ['listed', 'One envelope per amount.'],
};

export function rainForm(main, copied) {
  const isList = copied?.envelopes === LIST;
  const split = choice('split', Object.fromEntries(Object.entries(SPLITS).map(
    ([value, [text]]) => [value, text])), isList ? LIST : copied?.envelopes ?? 'double-mean');
  const chosen = field('Split', split, '-');
  const parts = [field('Total, in minor units', whole('envelopes.total', MONEY.total,
    isList ? '' : copied?.prepared.amount), 'For example cents.'),
  field('Envelopes', whole('envelopes.count', MONEY.count, isList ? '' : copied?.prepared.count)),
  field('Smallest amount', whole('envelopes.min', MONEY.min, MONEY.min.minimum))];
  const amounts = field('Amounts, in the order of the grabs', make('textarea', {
    name: 'envelopes.amounts', rows: 6, required: true, spellcheck: false,
  }), `1 to ${count(MONEY.amounts.maxItems)} whole numbers, in minor units.`);
  const show = () => {
    const listed = split.value === LIST;
    for (const part of parts) toggle(part, !listed);
    toggle(amounts, listed);
    chosen.querySelector('.hint').textContent = SPLITS[split.value][1];
  };
  split.addEventListener('change', show);
  show();
  main.replaceChildren(
    heading(copied ? `A copy of ${copied.title || copied.rain}` : 'New rain'),
    ...copied ? [notice('Times are not copied. The API does not return '
      + `${isList ? 'the amounts' : 'the smallest amount and the seed'}.`)] : [],
    definitionForm(RAIN, {
      parts: [
        field('Title', input('title', { maxLength: LIMIT.title.maxLength,
          value: copied?.title ?? '' }), 'If empty, the id is shown.'),
        group('Envelopes', chosen, ...parts, amounts),
        group('Times, in your time zone',
          time('Opens', 'startsAt', 'If empty, it opens immediately.'),
          time('Ends', 'endsAt', 'If empty, it runs until it is closed.')),
        group('Limits and storage',
          field('Grabs per user', whole('limitPerUser', LIMIT.limitPerUser,
            copied?.limitPerUser)),
          field('Answered once stored by', choice('durability', {
            '': 'the service’s default', redis: 'its Redis master',
            replicas: 'all replicas', ledger: 'PostgreSQL',
          }, copied?.durability ?? ''), 'It cannot be weaker than the service’s default.')),
      ],
      body, lines,
    }));
}

/** Shows or hides a part; a hidden one is neither validated nor sent. */
function toggle(part, isWanted) {
  part.hidden = !isWanted;
  for (const element of part.querySelectorAll('input, textarea')) element.disabled = !isWanted;
}

function body(form) {
  const split = form.get('split');
  const number = name => Number(form.get(`envelopes.${name}`));
  const envelopes = split === LIST
    ? { amounts: form.get('envelopes.amounts').split(/[\s,;]+/).filter(Boolean).map(Number) }
    : { total: number('total'), count: number('count'), split, min: number('min') };
  return {
    title: form.get('title') || undefined,
    startsAt: instant(form, 'startsAt'), endsAt: instant(form, 'endsAt'),
    limitPerUser: Number(form.get('limitPerUser')),
    durability: form.get('durability') || undefined, envelopes,
  };
}

function lines(id, rain) {
  const { amounts, total, count: number, min } = rain.envelopes;
  const sum = amounts ? amounts.reduce((all, amount) => all + amount, 0) : total;
  const envelopes = amounts?.length ?? number;
  const opens = make('span', {}, ...rain.startsAt ? ['It opens at ', moment(rain.startsAt), '.']
    : ['It opens immediately: users can grab once you confirm.']);
  const ends = make('span', {}, ...rain.endsAt ? ['It ends at ', moment(rain.endsAt), '.']
    : ['It runs until it is closed.']);
  return [
    `${count(sum)} minor units in ${count(envelopes)} envelopes, as the rain “${id}”.`,
    amounts ? `From ${count(Math.min(...amounts))} to ${count(Math.max(...amounts))} each.`
      : `${count(Math.round(sum / envelopes))} on average, at least ${count(min)}.`,
    opens, ends, 'None of this can be changed later.',
  ];
}
