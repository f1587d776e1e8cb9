# Stands in for the official image haproxy:3.2, with Debian's HAProxy.
FROM localhost/debian
RUN apt-get update && apt-get install -y --no-install-recommends haproxy
USER haproxy
CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
