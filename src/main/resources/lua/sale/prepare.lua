#!lua
--[[
Prepare: put a sale's terms where purchases find them, once; its stock stays held back.

KEYS[1] conf  hash  the sale's terms and state
ARGV[1] definition  ARGV[2] opens_at  ARGV[3] closes_at  ARGV[4] guard  ARGV[5] guard_window
ARGV[6] payment_window  ARGV[7] returns_limit  ARGV[8] epoch

Returns the first that applies:
  sale-exists | held epoch | exists

Keeps: a sale that is there stays as it is, whatever is asked. "held" names the epoch under which
load.lua releases the stock. An absent opens_at is "0", an absent closes_at "0"; all are
milliseconds.
]]
local conf = KEYS[1]
local definition, opens_at, closes_at, guard, guard_window, payment_window, returns_limit, epoch =
    unpack(ARGV)

local earlier = redis.call('HMGET', conf, 'definition', 'loading')
if earlier[1] then
  if earlier[1] ~= definition then
    return 'sale-exists'
  end
  return earlier[2] and 'held ' .. earlier[2] or 'exists'
end

local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
redis.call('HSET', conf, 'definition', definition, 'opens_at', opens_at, 'closes_at', closes_at,
    'paused', 0, 'closed_at', 0, 'guard', guard,
    'guard_window', guard_window, 'payment_window', payment_window,
    'returns_limit', returns_limit, 'created_at', now, 'changes', 0, 'loading', epoch)
return 'held ' .. epoch
