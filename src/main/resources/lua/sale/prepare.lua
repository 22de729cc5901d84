#!lua
--[[
Prepare: store a sale's terms for purchases, once; its stock stays held back.

KEYS[1] conf  hash  the sale's terms and state
ARGV[1] deadline  ARGV[2] definition  ARGV[3] opens_at  ARGV[4] closes_at  ARGV[5] guard
ARGV[6] guard_window  ARGV[7] payment_window  ARGV[8] returns_limit  ARGV[9] orders_per_user
ARGV[10] unpaid_holds  ARGV[11] release

Returns the first that applies:
  late | sale-exists | held release | exists

Keeps: an existing sale is not changed. "held" names the release under which load.lua releases the
stock. An absent opens_at is "0", an absent closes_at "0"; all are milliseconds.
]]
local conf = KEYS[1]
local deadline, definition, release = ARGV[1], ARGV[2], ARGV[11]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end

local earlier = redis.call('HMGET', conf, 'definition', 'loading')
if earlier[1] then
  if earlier[1] ~= definition then
    return 'sale-exists'
  end
  return earlier[2] and 'held ' .. earlier[2] or 'exists'
end

redis.call('HSET', conf, 'definition', definition, 'opens_at', ARGV[3], 'closes_at', ARGV[4],
    'paused', 0, 'closed_at', 0, 'guard', ARGV[5], 'guard_window', ARGV[6],
    'payment_window', ARGV[7], 'returns_limit', ARGV[8], 'orders_per_user', ARGV[9],
    'unpaid_holds', ARGV[10], 'created_at', string.format('%.0f', now), 'changes', 0,
    'loading', release)
return 'held ' .. release
