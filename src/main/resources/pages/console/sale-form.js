/** Preparing a sale, new or as a copy of another one. */
import { count, make } from '../page.js';
import { definitionForm, duration, group, instant, time, whole, windowField }
  from './definition.js';
import { GUARD_WINDOW_MAX, ID, LIMITS, PAYMENT_WINDOW_MAX } from './limits.js';
import { SALE } from './offers.js';
import { button, choice, field, heading, input, notice } from './parts.js';
import { many, moment, seconds, span } from './words.js';

const LIMIT = LIMITS.SaleDefinition;
const ITEM = LIMITS.SaleDefinitionItem;
const NEW = { items: [{ sku: '', title: '', total: '', limitPerUser: ITEM.limitPerUser.default }] };

export function saleForm(main, copied) {
  const view = copied ?? NEW;
  const items = new Items(view.items);
  main.replaceChildren(
    heading(copied ? `A copy of ${copied.title || copied.sale}` : 'New sale'),
    ...copied ? [notice('Times are left out, since they belong to the other sale. The service does '
      + 'not show duplicate window, orders per user, unpaid reservations and whether returns '
      + 'restore the limit: these have their usual values here.')] : [],
    definitionForm(SALE, {
      parts: [
        field('Title', input('title', { maxLength: LIMIT.title.maxLength,
          value: copied?.title ?? '' }), 'Without one the id is shown.'),
        group('Items', items.element),
        group('Times, in your time zone',
          time('Opens', 'opensAt', 'Without one it opens at once.'),
          time('Ends', 'closesAt', 'Without one it runs until it is closed.')),
        group('Payment and limits', ...terms(view)),
        group('Storage', ...storage(view)),
      ],
      body, lines,
    }));
}

function terms(view) {
  return [
    windowField('To be paid within', 'paymentWindow', view.paymentWindow, {
      most: PAYMENT_WINDOW_MAX, hint: 'Up to 30 days. Without one, orders are confirmed at once.',
    }),
    field('Units of one line', whole('maxQuantity', LIMIT.maxQuantity, view.maxQuantity),
      'At most, in one purchase.'),
    field('Orders of one user', whole('ordersPerUser', LIMIT.ordersPerUser),
      'Returned and expired ones count.'),
    field('Reservations that a user may let expire', whole('unpaidHolds', LIMIT.unpaidHolds),
      '0: any number.'),
    field('Refuse as a duplicate', choice('duplicateGuard', {
      none: 'nothing', cart: 'the same lines of the same user', user: 'anything of the same user',
    }, view.duplicateGuard ?? LIMIT.duplicateGuard.default)),
    windowField('A duplicate comes within', 'duplicateGuardWindow',
      LIMIT.duplicateGuardWindow.default, { most: GUARD_WINDOW_MAX, hint: 'Up to an hour.' }),
    field('A return gives the limit back', choice('returnRestoresLimit',
      { true: 'yes', false: 'no' }, String(LIMIT.returnRestoresLimit.default))),
  ];
}

function storage(view) {
  return [
    field('A purchase is answered once it is stored by', choice('durability', {
      '': 'what the service is set to', redis: 'its Redis master', replicas: 'all replicas too',
      ledger: 'PostgreSQL',
    }, view.durability ?? ''), 'It cannot be weaker than what the service is set to.'),
    field('Shards', whole('shards', LIMIT.shards, view.shards),
      '1, unless one Redis master is too slow for this sale. At most the service’s partitions.'),
  ];
}

/** The rows of items. */
class Items {
  #rows = make('div', { className: 'items' });
  #add = button('Add an item', () => {
    this.#append(NEW.items[0]);
    this.#rows.lastChild.querySelector('input').focus();
  });

  constructor(items) {
    this.element = make('div', {}, this.#rows, this.#add);
    items.forEach(item => this.#append(item));
  }

  #append({ sku, title, total, limitPerUser }) {
    const row = make('div', { className: 'item' },
      field('SKU', input('sku', { required: true, pattern: ID, value: sku })),
      field('Title', input('itemTitle', { maxLength: ITEM.title.maxLength, value: title })),
      field('Units', whole('total', ITEM.total, total)),
      field('Of one user', whole('limitPerUser', ITEM.limitPerUser, limitPerUser), '0: any number'),
      button('Remove', () => { row.remove(); this.#number(); }, { kind: 'quiet' }));
    this.#rows.append(row);
    this.#number();
  }

  /** Names each field as violations name it. */
  #number() {
    const rows = [...this.#rows.children];
    rows.forEach((row, at) => {
      row.querySelectorAll('input').forEach((element, column) => {
        const part = ['sku', 'title', 'total', 'limitPerUser'][column];
        const label = row.querySelectorAll('label')[column];
        const hint = element.nextElementSibling;
        element.name = `items[${at}].${part}`;
        element.id = `item-${at}-${part}`;
        label.htmlFor = element.id;
        if (hint) {
          hint.id = `${element.id}-hint`;
          element.setAttribute('aria-describedby', hint.id);
        }
      });
      const remove = row.querySelector('button');
      remove.ariaLabel = `Remove item ${at + 1}`;
      remove.hidden = rows.length === LIMIT.items.minItems;
    });
    this.#add.hidden = rows.length >= LIMIT.items.maxItems;
  }
}

function body(form) {
  const number = name => Number(form.get(name));
  const items = [];
  for (let at = 0; form.has(`items[${at}].sku`); at++) {
    const name = `items[${at}]`;
    items.push({ sku: form.get(`${name}.sku`), title: form.get(`${name}.title`) || undefined,
      total: number(`${name}.total`), limitPerUser: number(`${name}.limitPerUser`) });
  }
  return {
    title: form.get('title') || undefined,
    opensAt: instant(form, 'opensAt'), closesAt: instant(form, 'closesAt'), items,
    maxQuantity: number('maxQuantity'), paymentWindow: duration(form, 'paymentWindow'),
    duplicateGuard: form.get('duplicateGuard'),
    duplicateGuardWindow: duration(form, 'duplicateGuardWindow'),
    returnRestoresLimit: form.get('returnRestoresLimit') === 'true',
    ordersPerUser: number('ordersPerUser'), unpaidHolds: number('unpaidHolds'),
    durability: form.get('durability') || undefined, shards: number('shards'),
  };
}

function lines(id, sale) {
  const units = sale.items.reduce((sum, item) => sum + item.total, 0);
  const opens = make('span', {}, ...sale.opensAt ? ['It opens at ', moment(sale.opensAt), '.']
    : ['It opens at once: buyers can buy as soon as you say yes.']);
  const ends = make('span', {}, ...sale.closesAt ? ['It ends at ', moment(sale.closesAt), '.']
    : ['It runs until it is closed.']);
  return [
    `${many(sale.items.length, 'item')} with ${count(units)} units in all, as the sale “${id}”.`,
    opens, ends,
    sale.paymentWindow
      ? `Orders expire unless they are paid within ${span(seconds(sale.paymentWindow))}.`
      : 'Orders are confirmed at once, without a payment.',
    'Totals can be changed later; the rest stands.',
  ];
}
