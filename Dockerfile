# The service in a container: docker run -p 8090:8090 -p 9990:9990 -p 9092-9094:9092-9094 kraftsim
# The simulated brokers advertise localhost, which suits those published ports. For other containers
# set KRAFTSIM_ADVERTISED_HOST to the name by which they reach this one. Nothing is written to files:
# --read-only works.
FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /dist .

FROM python:3.12-slim
COPY --from=build /dist /dist
COPY requirements.txt /dist/
RUN pip install --no-cache-dir --constraint /dist/requirements.txt /dist/*.whl \
    && rm -rf /dist \
    && useradd --create-home --uid 10001 kraftsim
USER kraftsim
WORKDIR /home/kraftsim
ENV PYTHONUNBUFFERED=1 KRAFTSIM_ADVERTISED_HOST=localhost
# The listeners of three brokers, of the controller, HTTP.
EXPOSE 9092 9093 9094 9990 8090
HEALTHCHECK --interval=5s --timeout=2s --start-period=5s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://localhost:8090/readyz')"]
ENTRYPOINT ["kraftsim"]
CMD ["up", "--host", "0.0.0.0"]
