# Runs the servers of one control plane: starts each one when its command line appears. When no process holds the lease
# any more, ends them all and removes the folder. The kernel also releases the lease of a process that was killed.
# Usage: sh -c keeper.sh keeper FOLDER LINGER SERVER...
set -eu
folder=$1 linger=$2
shift 2
command -v flock setsid >/dev/null || { echo "flock or setsid is not in PATH" >&2; exit 1; }
exec 9<"$folder/lease"

# A separate session is a process group that can be ended as a whole, with all processes that the servers start.
# shellcheck disable=SC2016 # the inner shell expands
setsid sh -c '
    folder=$1
    shift
    for server in "$@"; do
        (
            # The last one is started when the others are ready, or never: looking often would cost a fortieth of a core.
            pause=0.05 tries=0
            until [ -e "$folder/$server.args" ]; do
                sleep "$pause"
                tries=$((tries + 1))
                [ "$tries" -lt 40 ] || pause=0.5
            done
            set --
            while IFS= read -r argument; do set -- "$@" "$argument"; done <"$folder/$server.args"
            status=0
            "$@" >"$folder/$server.log" 2>&1 || status=$?
            echo "$status" >"$folder/$server.exit"
        ) &
    done
    wait
    # The group must exist with this id until the keeper ends it.
    while :; do sleep 3600; done
' servers "$folder" "$@" 9<&- &
group=$!

# A process that comes during the linger time takes the lease again. One that comes later finds the exclusive lock and
# starts new servers.
until
    flock --exclusive 9
    flock --unlock 9
    sleep "$linger"
    flock --exclusive --nonblock 9
do :; done

# Bounded, because zombies that are not reaped (a container without init) count as members of the group. dash accepts a
# group only after "-s SIGNAL --".
tries=0
until kill -s KILL -- "-$group" 2>/dev/null || [ "$tries" -ge 100 ]; do tries=$((tries + 1)); sleep 0.02; done
wait "$group" || true
tries=0
while kill -s 0 -- "-$group" 2>/dev/null && [ "$tries" -lt 100 ]; do tries=$((tries + 1)); sleep 0.02; done
rm -rf "$folder"
