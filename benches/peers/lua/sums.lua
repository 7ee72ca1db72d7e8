-- The sizes of the files below a folder in sum, by extension.
local lfs = require("lfs")
local groups, total, extensions = {}, 0, 0
local waiting = {arg[1]}
while #waiting > 0 do
  local folder = table.remove(waiting)
  for name in lfs.dir(folder) do
    if name ~= "." and name ~= ".." then
      local place = folder .. "/" .. name
      local status = lfs.symlinkattributes(place)
      if status.mode == "directory" then
        waiting[#waiting + 1] = place
      else
        local ext = name:match("^.+%.([^.]*)$") or ""
        if not groups[ext] then extensions = extensions + 1; groups[ext] = 0 end
        groups[ext] = groups[ext] + status.size
        total = total + status.size
      end
    end
  end
end
print(extensions, total, groups["so"] or 0)
