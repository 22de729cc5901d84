#!lua
--[[
Five structures: purchase.lua as it was before each buyer had one record, kept to be measured
against. Take units of one sale for each of N requests, each at most once per idempotency key.

KEYS[1] conf     hash    opens_at closes_at paused closed_at guard guard_window payment_window
KEYS[2] stock    hash    <sku>:total <sku>:ordered <sku>:limit
KEYS[3] buyers   hash    "<user> <sku>" → units taken
KEYS[4] keys     hash    "<user> <key>" → state order placed_at pay_by digest lines lefts
KEYS[5] orders   hash    order → "<user> <key>"
KEYS[6] placed   zset    "<user> <order>"
KEYS[7] guard    zset    member of the duplicate guard, scored by its end
KEYS[8] stream   stream  per accepted purchase one entry of one field, purchase →
                         "sale user key state order at pay_by digest lines lefts seq"
KEYS[9] seq      string  accepted purchases and grabs of the partition
ARGV[1] backlog_max  entries that may wait in the stream; 0: nothing enters it
ARGV[2] sale
then for each request
ARGV[1] deadline  ARGV[2] order  ARGV[3] user  ARGV[4] key  ARGV[5] digest  ARGV[6] lines

Returns now, seq, then per request the first that applies:
  replayed order placed_at pay_by lines lefts | key-reused | order-returned | unavailable
  | unknown-sale | unknown-item sku | not-loaded | paused | not-open opens_at | closed
  | duplicate-submission | limit-reached sku limit taken | sold-out sku
  | insufficient-stock sku left | backlogged | accepted placed_at pay_by lefts
  | failed message

Keeps: ordered <= total of every sku; one keys entry, one orders entry, one stream entry and one
step of seq per accepted purchase. Times are milliseconds of this Redis's clock.
]]
local conf, stock, buyers, keys, orders, placed, guard, stream, seq = unpack(KEYS)
local backlog_max, sale = tonumber(ARGV[1]), ARGV[2]
local FIRST, STRIDE = 3, 6
-- Lua hands over less than 8000 words at once, and many carts of many lines take more.
local WORDS_MAX = 4000
-- Looked up once: a crowd's call runs what follows 128 times.
local ARGV, call, format, unpack = ARGV, redis.call, string.format, unpack

local time = call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local now_text = format('%.0f', now)
local terms = call('HMGET', conf, 'opens_at', 'closes_at', 'paused', 'closed_at', 'guard',
    'guard_window', 'payment_window')
local known_sale = terms[1]
local opens_at, closes_at = tonumber(terms[1]), tonumber(terms[2])
local paused, closed_at = terms[3] == '1', tonumber(terms[4])
local guard_kind, guard_window = terms[5], tonumber(terms[6])
local payment_window = tonumber(terms[7])
local guarded = known_sale and guard_kind ~= 'none'
local number = tonumber(call('GET', seq)) or 0
local backlog, in_time
local keys_there = false
if guarded then
  call('ZREMRANGEBYSCORE', guard, '-inf', now_text)
end

-- Items and carts that this call has met.
local items, carts = {}, {}
-- What this call takes, written at its end in one command per key: a command costs more than what
-- it writes. Until then its requests see each other in `had`, `placed_under` and `seen`.
local had, placed_under, seen = {}, {}, {}
local entries = {}
local to_buyers, to_keys, to_orders, to_placed, to_guard = {}, {}, {}, {}, {}

-- The counters of an item.
local function item(sku)
  if items[sku] == nil then
    local row = call('HMGET', stock, sku .. ':total', sku .. ':ordered', sku .. ':limit')
    items[sku] = row[1]
        and { total = tonumber(row[1]), ordered = tonumber(row[2]), limit = tonumber(row[3]) }
        or false
  end
  return items[sku]
end

local function parse(lines)
  local parsed = carts[lines]
  if not parsed then
    parsed = {}
    for sku, quantity in string.gmatch(lines, '([^:,]+):(%d+)') do
      parsed[#parsed + 1] = { sku = sku, quantity = tonumber(quantity), item = item(sku) }
    end
    carts[lines] = parsed
  end
  return parsed
end

-- What was accepted under this key before, or nil.
local function earlier(user_key, digest, lines)
  local entry = placed_under[user_key] or call('HGET', keys, user_key)
  if not entry then
    return nil
  end
  if entry == 't' then
    return 'order-returned'
  end
  local order, placed_at, pay_by, first_digest, first_lines, lefts =
      string.match(entry, '^%a (%S+) (%d+) (%d+) (%S+) (%S+) (%S+)$')
  -- The digest '=' stands for the lines themselves.
  if first_digest ~= digest or (digest == '=' and first_lines ~= lines) then
    return 'key-reused'
  end
  return 'replayed ' .. order .. ' ' .. placed_at .. ' ' .. pay_by .. ' ' .. first_lines .. ' '
      .. lefts
end

-- Units that are ordered without a single key belong to purchases that Redis has lost.
local function is_lost(item)
  if item.ordered > 0 and not keys_there then
    keys_there = #entries > 0 or call('EXISTS', keys) == 1
    return not keys_there
  end
end

local function sale_refusal(parsed)
  if not known_sale then
    return 'unknown-sale'
  end
  for i = 1, #parsed do
    local line = parsed[i]
    if not line.item then
      return call('EXISTS', stock) == 0 and 'not-loaded' or 'unknown-item ' .. line.sku
    end
    if is_lost(line.item) then
      return 'not-loaded'
    end
  end
  if paused then
    return 'paused'
  end
  if now < opens_at then
    return 'not-open ' .. terms[1]
  end
  if closed_at > 0 or (closes_at > 0 and now >= closes_at) then
    return 'closed'
  end
end

local function taken(buyer)
  had[buyer] = had[buyer] or tonumber(call('HGET', buyers, buyer) or 0)
  return had[buyer]
end

local function stock_refusal(parsed, user)
  for i = 1, #parsed do
    local line = parsed[i]
    local limit = line.item.limit
    if limit > 0 then
      local before = taken(user .. ' ' .. line.sku)
      if before + line.quantity > limit then
        return format('limit-reached %s %d %d', line.sku, limit, before)
      end
    end
  end
  for i = 1, #parsed do
    local line = parsed[i]
    if line.item.ordered >= line.item.total then
      return 'sold-out ' .. line.sku
    end
  end
  for i = 1, #parsed do
    local line = parsed[i]
    local left = line.item.total - line.item.ordered
    if line.quantity > left then
      return format('insufficient-stock %s %d', line.sku, left)
    end
  end
  if backlog_max > 0 then
    backlog = backlog or call('XLEN', stream)
    if backlog + #entries >= backlog_max then
      return 'backlogged'
    end
  end
end

local function add(list, name, value)
  local size = #list
  list[size + 1], list[size + 2] = name, value
end

-- A whole number as text. Most buyers take one.
local function text(units)
  return units == 1 and '1' or format('%d', units)
end

-- From here on nothing of a request can fail: it only notes what is to be written.
local function take(parsed, user)
  local lefts
  for i = 1, #parsed do
    local line = parsed[i]
    local item = line.item
    item.ordered = item.ordered + line.quantity
    item.taken = (item.taken or 0) + line.quantity
    if item.limit > 0 then
      local buyer = user .. ' ' .. line.sku
      had[buyer] = had[buyer] + line.quantity
      add(to_buyers, buyer, text(had[buyer]))
    end
    local left = text(item.total - item.ordered)
    lefts = lefts and lefts .. ',' .. left or left
  end
  return lefts
end

local function purchase(first)
  local deadline, order, user = ARGV[first], ARGV[first + 1], ARGV[first + 2]
  local key, digest, lines = ARGV[first + 3], ARGV[first + 4], ARGV[first + 5]
  local user_key = user .. ' ' .. key
  -- A purchase without a key of the client's is kept under its new order id: nothing to look up.
  local reply = key ~= order and earlier(user_key, digest, lines) or nil
  if reply then
    return reply
  end
  -- Requests that came together have one deadline: it is read once.
  if deadline ~= in_time then
    if now > tonumber(deadline) then
      return 'unavailable'
    end
    in_time = deadline
  end
  local parsed = parse(lines)
  reply = sale_refusal(parsed)
  if reply then
    return reply
  end
  local member = guard_kind == 'cart' and user .. ' ' .. (digest == '=' and lines or digest) or user
  if guarded and (seen[member] or call('ZSCORE', guard, member)) then
    return 'duplicate-submission'
  end
  reply = stock_refusal(parsed, user)
  if reply then
    return reply
  end

  local lefts = take(parsed, user)
  local pay_by = payment_window > 0 and format('%.0f', now + payment_window) or '0'
  local entry = 'a ' .. order .. ' ' .. now_text .. ' ' .. pay_by .. ' ' .. digest .. ' ' .. lines
      .. ' ' .. lefts
  add(to_keys, user_key, entry)
  add(to_orders, order, user_key)
  placed_under[user_key] = entry
  add(to_placed, '0', key == order and user_key or user .. ' ' .. order)
  if guarded then
    seen[member] = true
    add(to_guard, format('%.0f', now + guard_window), member)
  end
  number = number + 1
  entries[#entries + 1] = sale .. ' ' .. user_key .. ' ' .. entry .. ' ' .. format('%d', number)
  return 'accepted ' .. now_text .. ' ' .. pay_by .. ' ' .. lefts
end

local replies = { now, number }

local function write_all(command, key, list)
  for first = 1, #list, WORDS_MAX do
    call(command, key, unpack(list, first, math.min(first + WORDS_MAX - 1, #list)))
  end
end

local function write()
  for sku, item in pairs(items) do
    if item and item.taken then
      call('HINCRBY', stock, sku .. ':ordered', item.taken)
    end
  end
  write_all('HSET', buyers, to_buyers)
  write_all('HSET', keys, to_keys)
  write_all('HSET', orders, to_orders)
  write_all('ZADD', placed, to_placed)
  write_all('ZADD', guard, to_guard)
  replies[2] = call('INCRBY', seq, #entries)
  if backlog_max > 0 then
    for i = 1, #entries do
      call('XADD', stream, '*', 'purchase', entries[i])
    end
  end
end

local function failed(defect)
  return 'failed ' .. (type(defect) == 'table' and defect.err or tostring(defect))
end

for first = FIRST, #ARGV, STRIDE do
  -- One request that meets a defect must not fail its neighbours.
  local fine, reply = pcall(purchase, first)
  replies[#replies + 1] = fine and reply or failed(reply)
end
if #entries > 0 then
  local fine, defect = pcall(write)
  for i = 3, fine and 0 or #replies do
    if string.sub(replies[i], 1, 9) == 'accepted ' then
      replies[i] = failed(defect)
    end
  end
end
return replies
