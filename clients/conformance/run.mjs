// The kit is written in TypeScript. If this Node can't run TypeScript, the kit runs on the Node that `npm ci` installs
// (decision 0001).
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const kit = new URL('./run.ts', import.meta.url)
const executable = process.platform === 'win32' ? 'node.exe' : 'node'
const pinnedNode = fileURLToPath(new URL(`../../node_modules/node/bin/${executable}`, import.meta.url))

if (process.features.typescript) {
  await import(kit.href)
} else if (existsSync(pinnedNode)) {
  const child = spawn(pinnedNode, [fileURLToPath(kit), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => process.exit(code ?? 1))
} else {
  console.error(
    `Node ${process.versions.node} can't run TypeScript, in which this kit is written. ` +
      'Run `npm ci` in the Gatehouse folder, which installs a Node that can, or use Node 22.18 or newer.',
  )
  process.exit(1)
}
