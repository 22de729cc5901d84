#!lua
--[[
Purchase: take units of one sale for each of N requests, each at most once per idempotency key.

KEYS[1] conf    hash    opens_at closes_at paused closed_at guard guard_window payment_window
                        returns_limit orders_per_user unpaid_holds
KEYS[2] stock   hash    <sku>:total <sku>:ordered <sku>:limit
KEYS[3] buyers  hash    user → record: a line for each order, oldest first, and each refused key
KEYS[4] stream  stream  per call one entry of one field, purchase → "sale at pay_by head seq" and
                        for each order "user order key digest lines lefts"
KEYS[5] seq     string  accepted purchases and grabs of the partition
ARGV[1] backlog_max  orders that may wait in the stream; 0: nothing enters it
ARGV[2] sale
ARGV[3] deadline      the earliest of all requests
ARGV[4] deadlines     of all requests, in their order; empty if all are equal
ARGV[5] lines_of_all  the lines, if all requests have the same; else empty
then for each request; the first words of all come before the second ones
ARGV[1] user  ARGV[2] what  "order key digest lines"; the key may be empty

Returns now, seq, then per request the first that applies:
  replayed order placed_at pay_by lines lefts | key-reused | rejected order | order-returned
  | unavailable | unknown-sale | unknown-item sku | not-loaded | paused | not-open opens_at | closed
  | duplicate-submission | limit-reached item sku limit taken | limit-reached orders limit taken
  | limit-reached holds limit taken | sold-out sku | insufficient-stock sku left | backlogged
  | accepted placed_at pay_by lefts | failed message

Keeps: ordered <= total of every sku; one line in its buyer's record, one place in a stream entry
and one step of seq per accepted purchase. A line of a record is "state order key digest lines lefts
at pay_by head"; its state is a accepted, c credited after its return, e credited after it expired,
r rejected by the ledger. A refused key is a line "t key". head is the number of the first order of
the call; what the stream's head has passed is in the ledger. Times are milliseconds of this Redis's
clock.
]]
local conf, stock, buyers, stream, seq = unpack(KEYS)
local backlog_max, sale = tonumber(ARGV[1]), ARGV[2]
local deadline, deadlines = tonumber(ARGV[3]), ARGV[4]
local FIRST, STRIDE = 6, 2
-- A record stays small enough to be read for every purchase of its buyer.
local RECORD_MAX = 16384
-- Looked up once, because a full call runs the code below 128 times. Code that rarely runs uses the
-- global names: every local that a function captures costs each call.
local ARGV, call, format = ARGV, redis.call, string.format

-- include record
-- include lost
-- include history
-- include head
-- include waiting
-- include deadline
-- include call
-- include window

local function stock_refusal(cart)
  for i = 1, #cart do
    if cart[i].item.left <= 0 then
      return 'sold-out ' .. cart[i].sku
    end
  end
  for i = 1, #cart do
    local line = cart[i]
    if line.quantity > line.item.left then
      return string.format('insufficient-stock %s %d', line.sku, line.item.left)
    end
  end
end

local terms = call('HMGET', conf, 'opens_at', 'closes_at', 'paused', 'closed_at', 'guard',
    'guard_window', 'payment_window', 'returns_limit', 'orders_per_user', 'unpaid_holds')
local payment_window = tonumber(terms[7] or 0)
local times = format('%d %d', now, payment_window > 0 and now + payment_window or 0)
local taken_at, line_end = times .. ' ', format(' %s %d\n', times, number + 1)

-- Items and carts seen in this call, and how many more orders may enter the stream.
local items, carts, room = {}, {}, nil

-- Why no user can buy this cart now.
local function sale_refusal(cart)
  if not terms[1] then
    return 'unknown-sale'
  end
  if are_buyers_lost(stock, buyers) then
    return 'not-loaded'
  end
  for i = 1, #cart do
    local line = cart[i]
    if not line.item then
      return call('EXISTS', stock) == 0 and 'not-loaded' or 'unknown-item ' .. line.sku
    end
  end
  return window_refusal(unpack(terms, 1, 4))
end

local function cart_of(lines)
  local cart = {}
  for sku, quantity in string.gmatch(lines, '([^:,]+):(%d+)') do
    if items[sku] == nil then
      local row = call('HMGET', stock, sku .. ':total', sku .. ':ordered', sku .. ':limit')
      local left = row[1] and row[1] - row[2]
      items[sku] = left
          and { ordered = tonumber(row[2]), limit = tonumber(row[3]), before = left, left = left }
    end
    cart[#cart + 1] = { sku = sku, quantity = tonumber(quantity), item = items[sku] }
  end
  cart.refusal = sale_refusal(cart)
  -- Most carts are one line, within the limit of a new buyer.
  local line = cart[1]
  if not cart.refusal and not cart[2]
      and (line.item.limit == 0 or line.quantity <= line.item.limit) then
    cart.item, cart.quantity = line.item, line.quantity
  end
  carts[lines] = cart
  return cart
end

-- The slow path: known buyers and all exceptions. Returns the reply and, if
-- granted, the buyer's new record and the units left.
local function purchase(place, record, what, lines)
  local orders, refused = {}, {}
  if record then
    orders, refused = parse(record)
  end
  local reply = record and earlier(orders, refused, what, lines)
  if reply then
    repeated = true
    return reply
  end
  if is_late and is_over(deadlines, place, now, deadline) then
    return 'unavailable'
  end
  local cart = carts[lines] or cart_of(lines)
  if cart.refusal then
    return cart.refusal
  end
  if terms[5] ~= 'none' and is_duplicate(orders, what, lines, terms[5], now - terms[6]) then
    return 'duplicate-submission'
  end
  reply = limit_refusal(cart, orders, terms) or stock_refusal(cart)
  if reply then
    return reply
  end
  local lefts = {}
  for i = 1, #cart do
    lefts[i] = format('%d', cart[i].item.left - cart[i].quantity)
  end
  lefts = table.concat(lefts, ',')
  local line = 'a ' .. what .. ' ' .. lefts .. line_end
  if record and #record + #line > RECORD_MAX then
    return format('limit-reached orders %d %d', #orders, #orders)
  end
  room = room or room_left()
  if granted >= room then
    return 'backlogged'
  end

  for i = 1, #cart do
    local item = cart[i].item
    item.left = item.left - cart[i].quantity
  end
  return 'accepted ' .. taken_at .. lefts, record and record .. line or line, lefts
end

local lines_of_all = ARGV[5] ~= '' and ARGV[5]
local found = call('HMGET', buyers, unpack(ARGV, FIRST, FIRST + requests - 1))
for first = FIRST, FIRST + requests - 1 do
  local user, what = ARGV[first], ARGV[first + requests]
  local lines = lines_of_all or string.match(what, '^%S+ %S* %S+ (%S+)$')
  local place = first - FIRST + 1
  local record, cart = records[user] or found[place], carts[lines]
  local item = cart and cart.item
  local left = item and item.left - cart.quantity
  local ok, reply, lefts = true, nil, nil
  if record or not item or left < 0 or is_late or not room or granted >= room then
    -- A defect in one request must not fail the others.
    ok, reply, record, lefts = pcall(purchase, place, record, what, lines)
  else
    -- Nearly all are first purchases of one item.
    item.left, lefts = left, format('%d', left)
    record = 'a ' .. what .. ' ' .. lefts .. line_end
    reply = 'accepted ' .. taken_at .. lefts
  end
  if lefts then
    -- Nothing below can fail.
    local of_records, of_entry = 2 * granted, 3 * granted + 1
    to_records[of_records + 1], to_records[of_records + 2] = user, record
    entry[of_entry + 1], entry[of_entry + 2], entry[of_entry + 3] = user, what, lefts
    records[user], granted = record, granted + 1
  end
  replies[place + 2] = ok and reply or failed(reply)
end

local function write()
  for sku, item in pairs(items) do
    if item and item.left < item.before then
      call('HINCRBY', stock, sku .. ':ordered', format('%d', item.before - item.left))
    end
  end
  call('HSET', buyers, unpack(to_records))
  replies[2] = call('INCRBY', seq, granted)
  if backlog_max > 0 then
    entry[1] = format('%s %s %d %d', sale, times, number + 1, number + 1)
    call('XADD', stream, '*', 'purchase', table.concat(entry, ' '))
  end
end

-- include answer
