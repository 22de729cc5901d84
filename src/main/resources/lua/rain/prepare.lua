#!lua
--[[
Prepare: begin to prepare a rain, or return the progress. A draft is not a rain: it cannot be read
or grabbed before fill has added its last envelope and its terms.

KEYS[1] conf       hash  the rain's terms and state
KEYS[2] draft      hash  definition, seed and epoch of the rain that is being filled
KEYS[3] envelopes  list  amounts, next one at the head
ARGV[1] deadline  ARGV[2] definition  ARGV[3] seed  "-" for none
ARGV[4] seed_given  0: the seed is a proposal, and an existing one is kept
ARGV[5] epoch  of this filling  ARGV[6] released  1: only the filling of this epoch may continue

Returns the first that applies:
  late | exists | rain-exists | not-loaded | draft seed filled epoch

Keeps: an existing rain is not changed. A draft with another definition is replaced; an unfinished
one expires after a day.
]]
local conf, draft, envelopes = unpack(KEYS)
local deadline, definition, seed, seed_given, epoch, released = unpack(ARGV)
local DRAFT_SECONDS = 86400

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end

local function same(key)
  local known = redis.call('HMGET', key, 'definition', 'seed', 'epoch')
  return known[1] == definition and (seed_given == '0' or known[2] == seed), known
end

local agrees, known = same(conf)
if known[1] then
  return agrees and 'exists' or 'rain-exists'
end
agrees, known = same(draft)
if released == '1' and known[3] ~= epoch then
  return 'not-loaded'
end
if agrees then
  return 'draft ' .. known[2] .. ' ' .. redis.call('LLEN', envelopes) .. ' ' .. known[3]
end

redis.call('UNLINK', envelopes)
redis.call('HSET', draft, 'definition', definition, 'seed', seed, 'epoch', epoch)
redis.call('EXPIRE', draft, DRAFT_SECONDS)
return 'draft ' .. seed .. ' 0 ' .. epoch
