-- Whether the ledger of an epoch was replaced by another one, which may lack what it has stored.
local function is_replaced(ledger, epoch)
  return tonumber(epoch) < tonumber(redis.call('HGET', ledger, 'epoch') or -1)
end
