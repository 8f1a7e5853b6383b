# Read by the shell of every job: tells on Snakemake's own output what the job's log cannot tell.
trap 'case $? in
120) echo "error: a job could not write its log: no space left?" >&2 ;;
137) echo "error: a job was killed (signal 9), as by a system that has no memory left" >&2 ;;
esac' EXIT
