# Stands in for the official image node:<version>-slim. The build context has the machine's npm and the Node of package.json.
FROM localhost/debian
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN groupadd --gid 1000 node \
 && useradd --uid 1000 --gid node --create-home node \
 && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
