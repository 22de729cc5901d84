/** The form that prepares a sale, new or as a copy. */
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
    ...copied ? [notice('Times are not copied. The API does not return the duplicate window, the '
      + 'limits per user on orders and expired reservations, or whether returns restore the '
      + 'limit: these have default values here.')] : [],
    definitionForm(SALE, {
      parts: [
        field('Title', input('title', { maxLength: LIMIT.title.maxLength,
          value: copied?.title ?? '' }), 'If empty, the id is shown.'),
        group('Items', items.element),
        group('Times, in your time zone',
          time('Opens', 'opensAt', 'If empty, it opens immediately.'),
          time('Ends', 'closesAt', 'If empty, it runs until it is closed.')),
        group('Payment and limits', ...terms(view)),
        group('Storage', ...storage(view)),
      ],
      body, lines,
    }));
}

function terms(view) {
  return [
    windowField('Pay within', 'paymentWindow', view.paymentWindow, {
      most: PAYMENT_WINDOW_MAX, hint: 'Up to 30 days. If empty, orders are confirmed immediately.',
    }),
    field('Units per line', whole('maxQuantity', LIMIT.maxQuantity, view.maxQuantity),
      'The maximum in one purchase.'),
    field('Orders per user', whole('ordersPerUser', LIMIT.ordersPerUser),
      'Returned and expired orders count.'),
    field('Expired reservations per user', whole('unpaidHolds', LIMIT.unpaidHolds),
      'Beyond that, purchases are refused. 0: no limit.'),
    field('Duplicates refused', choice('duplicateGuard', {
      none: 'none', cart: 'the same lines by one user', user: 'any order by one user',
    }, view.duplicateGuard ?? LIMIT.duplicateGuard.default)),
    windowField('Duplicate window', 'duplicateGuardWindow',
      LIMIT.duplicateGuardWindow.default, { most: GUARD_WINDOW_MAX, hint: 'Up to an hour.' }),
    field('Returns restore the limit', choice('returnRestoresLimit',
      { true: 'yes', false: 'no' }, String(LIMIT.returnRestoresLimit.default))),
  ];
}

function storage(view) {
  return [
    field('Answered once stored by', choice('durability', {
      '': 'the service’s default', redis: 'its Redis master', replicas: 'all replicas',
      ledger: 'PostgreSQL',
    }, view.durability ?? ''), 'It cannot be weaker than the service’s default.'),
    field('Shards', whole('shards', LIMIT.shards, view.shards),
      '1, unless one Redis master is too slow for this sale.'),
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
      field('Per user', whole('limitPerUser', ITEM.limitPerUser, limitPerUser), '0: no limit'),
      button('Remove', () => { row.remove(); this.#number(); }, { kind: 'quiet' }));
    this.#rows.append(row);
    this.#number();
  }

  /** Names each field as violations do. */
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
    : ['It opens immediately: buyers can buy once you confirm.']);
  const ends = make('span', {}, ...sale.closesAt ? ['It ends at ', moment(sale.closesAt), '.']
    : ['It runs until it is closed.']);
  return [
    `${many(sale.items.length, 'item')} with ${many(units, 'unit')} in total, as the sale “${id}”.`,
    opens, ends,
    sale.paymentWindow
      ? `Orders expire unless they are paid within ${span(seconds(sale.paymentWindow))}.`
      : 'Orders are confirmed immediately, without a payment.',
    'Title, times and totals can be changed later, nothing else.',
  ];
}
