# Runs one program until the standard input ends, as it does however the test's process ends, and leaves nothing behind.
# Usage: sh -c keeper.sh keeper FOLDER SIGNAL PROGRAM ARGUMENT...
set -eu
folder=$1 signal=$2
shift 2
exec 3<&0 </dev/null

"$@" >"$folder/program.log" 2>&1 3<&- &
program=$!
(
    cat <&3 >/dev/null
    # A number whose process has ended may be somebody else's by now.
    [ -e "$folder/program.exit" ] || kill -s "$signal" "$program"
) &
exec 3<&-

status=0
wait "$program" || status=$?
echo "$status" >"$folder/program.exit"
wait
rm -rf "$folder"
