#!/bin/sh
# An instrument that takes part in a campaign over REST, with curl alone.
# PALACS_STUDIO_TOKEN=... sh instrument.sh http://127.0.0.1:8765 CAMPAIGN 20
set -eu
studio=$1 campaign=$2 rounds=$3

post() {
    # The token goes in by standard input: the process list shows arguments to everybody.
    printf 'header = "Authorization: Bearer %s"\n' "$PALACS_STUDIO_TOKEN" |
        curl --noproxy '*' --silent --show-error --fail-with-body --config - \
            --header 'Content-Type: application/json' \
            --data "$2" "$studio/api/v1/campaigns/$campaign/$1"
}

record() { # replace by a recording of the class "$1": comma-separated numbers
    awk -v n="${#1}" -v s="$2" 'BEGIN { srand(s); printf "%f,%f", n / 10 + rand() / 5, rand() }'
}

round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    asked=$(post ask '{"n": 1}')
    id=$(printf '%s' "$asked" | sed 's/.*"requests":\[{"id":"\([^"]*\)".*/\1/')
    label=$(printf '%s' "$asked" | sed 's/.*"label":"\{0,1\}\([^",]*\).*/\1/')
    post tell "{\"id\": \"$id\", \"x\": [$(record "$label" "$round")]}" > /dev/null
    echo "$id $label"
done
