#!/usr/bin/env node
// Gatehouse's sources are TypeScript for Node 26. This file also runs on older versions, where it starts the Node that
// `npm ci` installed with the packages (decision 0001).
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const neededMajor = 26
const main = new URL('../src/main.ts', import.meta.url)
const executable = process.platform === 'win32' ? 'node.exe' : 'node'
const pinnedNode = fileURLToPath(new URL(`../node_modules/node/bin/${executable}`, import.meta.url))

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  await import(main.href)
} else if (existsSync(pinnedNode)) {
  const child = spawn(pinnedNode, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
} else {
  console.error(
    `gatehouse: Node ${neededMajor} or newer is required, but this is Node ${process.versions.node}; ` +
      'run `npm ci` in the Gatehouse folder to install it, or get it from https://nodejs.org',
  )
  process.exit(1)
}
