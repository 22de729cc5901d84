-- Hands a change to the ledger, which keeps who made it, and what was before and after it, and the
-- new terms where those are what changed. Before this, scripts name control, change, actor, cause
-- and now. Where no ledger keeps changes, change is - and there is no key for them.
local function keep(action, version, before, after, terms)
  if change ~= '-' then
    local entry = { 'change', table.concat({ change, action, version,
      string.format('%.0f', now), actor, before, after }, ' ') }
    if cause ~= '' then
      entry[3], entry[4] = 'cause', cause
    end
    if terms then
      entry[#entry + 1] = 'terms'
      entry[#entry + 1] = terms
    end
    redis.call('XADD', control, '*', unpack(entry))
  end
end
