--[[
A minimal purchase, as commonly written: a limit, a stock, a stream entry. No window, no pause, no
idempotency, no carts, no deadline. Peers run it in bench/throughput.

KEYS[1] stock   string  units left
KEYS[2] buyers  hash    user → units
KEYS[3] stream  stream  one entry per purchase
ARGV[1] user  ARGV[2] order  ARGV[3] quantity  ARGV[4] limit

Returns limit-reached | sold-out | accepted order
]]
local quantity = tonumber(ARGV[3])
local taken = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
if taken + quantity > tonumber(ARGV[4]) then
  return 'limit-reached'
end
if tonumber(redis.call('GET', KEYS[1]) or '0') < quantity then
  return 'sold-out'
end
redis.call('DECRBY', KEYS[1], quantity)
redis.call('HINCRBY', KEYS[2], ARGV[1], quantity)
redis.call('XADD', KEYS[3], '*', 'user', ARGV[1], 'order', ARGV[2], 'quantity', ARGV[3])
return 'accepted ' .. ARGV[2]
