# Read by the shell of every job. Tells on Snakemake's own output what the job's log cannot tell.
trap 'status=$?
case $status in
1)
    if [ "$limit" != unlimited ] && [ "$limit" -lt $((torch * 1024)) ]; then
        echo "error: a job failed that may have $((limit / 1024)) MiB of address space: PyTorch takes 3600 MiB to start," \
            "and jobs that train $torch MiB; if its log ends in ImportError or MemoryError, raise \`ulimit -v\`" >&2
    fi
    ;;
120) echo "error: a job could not write its log: no space left?" >&2 ;;
132 | 134 | 136 | 139)
    echo "error: a job was killed (signal $((status - 128))), as by a library that crashes, perhaps on a damaged file" >&2
    ;;
135) echo "error: a job was killed (signal 7), as for a mapped file on a disk that is full or gone" >&2 ;;
137) echo "error: a job was killed (signal 9), as by a system that has no memory left" >&2 ;;
129 | 1[3-8]? | 19[0-2]) echo "error: a job was stopped (signal $((status - 128)))" >&2 ;;
esac' EXIT

# What PyTorch reserves of address space, which is several times the memory that it uses: 3.2 to 3.6 GiB where it is
# imported; then come the stacks and arenas of its threads. With less, its import ends in the traceback of an ImportError.
torch=6000
# With less than what numpy and scipy take, OpenBLAS tries for ever to get its buffers, of which each of its threads (64
# at most) has one: under such a limit a job would hang and say nothing.
limit=$(ulimit -v)
if [ "$limit" != unlimited ]; then
    cores=$(getconf _NPROCESSORS_ONLN)
    least=$((384 + 128 * (cores < 64 ? cores : 64)))
    if [ $((limit / 1024)) -lt "$least" ]; then
        echo "error: jobs may have $((limit / 1024)) MiB of address space, too little memory to start;" \
            "they need $least MiB at least: see \`ulimit -v\` and the limits of the cluster" >&2
        trap - EXIT
        exit 1
    fi
fi
