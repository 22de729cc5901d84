/** Common properties of sales and rains, with the names that each uses. */
import { count } from '../page.js';

const sum = (items, field) => items.reduce((total, item) => total + item[field], 0);

export const SALE = {
  word: 'sale', plural: 'sales', heading: 'Sales', unit: 'unit', rate: 'Sold',
  calls: 'purchases',
  begins: view => view.opensAt,
  ends: view => view.closesAt,
  total: view => sum(view.items, 'total'),
  left: view => sum(view.items, 'left'),
  gone: 'Sold out',
  tabs: [['', 'Live'], ['orders', 'Orders'], ['returns', 'Returns'], ['holds', 'Holds'],
    ['books', 'Books']],
};

export const RAIN = {
  word: 'rain', plural: 'rains', heading: 'Rains', unit: 'envelope', rate: 'Grabbed',
  calls: 'grabs',
  begins: view => view.startsAt,
  ends: view => view.endsAt,
  total: view => view.prepared.count,
  left: view => view.left.count,
  gone: 'Empty',
  tabs: [['', 'Live'], ['leaders', 'Leaderboard'], ['books', 'Books']],
};

/** Units left of the total, in words. */
export function remains(kind, view) {
  return `${count(kind.left(view))} of ${count(kind.total(view))}`;
}

/** The next time to count down to: the opening or the end; null if there is none. */
export function next(kind, view) {
  if (view.state === 'scheduled') return { label: 'Opens in', at: Date.parse(kind.begins(view)) };
  return kind.ends(view) && view.state !== 'closed'
    ? { label: 'Ends in', at: Date.parse(kind.ends(view)) } : null;
}
