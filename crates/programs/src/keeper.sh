# Runs one program until the standard input ends, which happens even if the test's process is killed. Leaves nothing behind.
# Usage: sh -c keeper.sh keeper FOLDER SIGNAL PROGRAM ARGUMENT...
set -eu
folder=$1 signal=$2
shift 2
exec 3<&0 </dev/null

"$@" >"$folder/program.log" 2>&1 3<&- &
program=$!
(
    cat <&3 >/dev/null
    # The id of a process that has ended may belong to another process now.
    [ -e "$folder/program.exit" ] || kill -s "$signal" "$program"
) &
exec 3<&-

status=0
wait "$program" || status=$?
echo "$status" >"$folder/program.exit"
wait
rm -rf "$folder"
