# The studio with everything it needs; compose.yaml runs it beside PostgreSQL.
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/palacs-*.whl)[studio,postgres]" \
    && useradd --create-home --uid 1000 palacs \
    && install --directory --owner=palacs /data /reports
USER 1000
WORKDIR /data
ENV PALACS_STORAGE=sqlite:////data/lab.db XDG_STATE_HOME=/data NUMBA_CACHE_DIR=/home/palacs/.cache
# Compile now, so that nobody waits for it at the first request.
RUN palacs doctor --compile
VOLUME ["/data", "/reports"]
EXPOSE 8765
HEALTHCHECK --interval=10s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/static/icon.svg')"]
CMD ["palacs", "studio", "--no-browser", "--listen", "0.0.0.0", "--port", "8765", "--reports", "/reports"]
