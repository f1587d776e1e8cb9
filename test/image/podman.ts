import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isFree, programOnPath } from '../../bench/processes.ts'

/** Programs that the test needs, each with its Debian package. */
const programs = {
  podman: 'podman',
  'podman-compose': 'podman-compose',
  runc: 'runc',
  iptables: 'iptables',
  debootstrap: 'debootstrap',
}
/** Files of packages without a program on the `PATH`. */
const helpers = { '/usr/lib/podman/netavark': 'netavark', '/usr/lib/podman/aardvark-dns': 'aardvark-dns' }

/** Returns sentences that say what keeps the test from running on this machine. */
export async function missing(ports: readonly number[]): Promise<string[]> {
  const said: string[] = []
  if (process.platform !== 'linux' || process.getuid?.() !== 0) said.push('It must run as root on Linux.')
  const packages = [
    ...Object.entries(programs).filter(([name]) => programOnPath(name) === undefined),
    ...Object.entries(helpers).filter(([path]) => !existsSync(path)),
  ].map(([, name]) => name)
  if (packages.length > 0) {
    said.push(`Install: apt-get install -y --no-install-recommends ${packages.join(' ')}`)
  }
  if (process.env.npm_execpath === undefined) said.push('Start it with npm run test:image.')
  for (const port of ports) {
    if (!(await isFree(port))) said.push(`Port ${port} of 127.0.0.1 is in use.`)
  }
  return said
}

export type Podman = ReturnType<typeof openPodman>

/** Podman with its own images, containers and networks, so that the machine's own stay unchanged. */
export function openPodman() {
  const folder = mkdtempSync('/var/tmp/gatehouse-image-')
  const settings = join(folder, 'settings')
  const bin = join(folder, 'bin')
  for (const path of [settings, bin]) mkdirSync(path)
  const storage = `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/store"\nrunroot = "${folder}/run"\n`
  writeFileSync(join(settings, 'storage.conf'), storage)
  writeFileSync(join(settings, 'containers.conf'), containersConf(folder))
  writeFileSync(join(bin, 'docker'), dockerScript(settings), { mode: 0o755 })
  /** Environment in which `podman` and `podman-compose` use these images. `docker` runs Podman, too. */
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    CONTAINERS_CONF: join(settings, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(settings, 'storage.conf'),
  }
  /**
   * Runs a command and returns its standard output.
   *
   * @throws Error with the command's output if it fails.
   */
  function run(command: string, words: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
    const { cwd = folder, env: more } = options
    const settings = { cwd, env: { ...env, ...more }, encoding: 'utf8', maxBuffer: 2 ** 28 } as const
    const { status, stdout, stderr, error } = spawnSync(command, words, settings)
    if (status === 0) return stdout
    throw new Error(`${command} ${words.join(' ')} ended with ${status ?? error}\n${stdout}${stderr}`)
  }
  return {
    folder,
    run,
    /** Removes all containers, networks, volumes and images. */
    remove() {
      run('podman', ['system', 'reset', '--force'])
      spawnSync('umount', [join(folder, 'store/overlay')])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Podman's settings. Its default limits are higher than those of many machines, and only a process with
 * `CAP_SYS_RESOURCE` can raise its own. Of the OCI runtimes, runc works with all layouts of cgroups.
 */
function containersConf(folder: string): string {
  return `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
lock_type = "file"
tmp_dir = "${folder}/tmp"
`
}

/**
 * Writes this machine's npm settings to a folder for use inside a build. Returns the mounts that the build needs.
 */
function npmMounts(settings: string): string[] {
  // Runs npm with the Node that runs it already, because npm finds its global settings beside that Node.
  const { npm_node_execpath: node = '', npm_execpath: npm = '' } = process.env
  const { stdout } = spawnSync(node, [npm, 'config', 'list', '--json'], { encoding: 'utf8' })
  const all = JSON.parse(stdout) as Record<string, unknown>
  const certificates = all.cafile ?? process.env.NODE_EXTRA_CA_CERTS
  const lines = ['registry', 'proxy', 'https-proxy', 'strict-ssl'].flatMap((name) =>
    all[name] === null ? [] : [`${name}=${all[name]}\n`],
  )
  const inside = '/etc/npm-certificates.pem'
  writeFileSync(join(settings, 'npmrc'), [...lines, ...(certificates ? [`cafile=${inside}\n`] : [])].join(''))
  return [`${settings}/npmrc:/root/.npmrc:ro`, ...(certificates ? [`${certificates}:${inside}:ro`] : [])]
}

/**
 * A `docker` that runs Podman, so that commands can be taken from the documents unchanged. Builds keep the health
 * check, which Podman's default format drops. They use this machine's npm settings, which don't end up in the image.
 */
function dockerScript(settings: string): string {
  const build = ['--format=docker', '--isolation=chroot', '--network=host', '--pull=never']
  return `#!/bin/sh
[ "$1" = build ] || exec podman "$@"
shift
exec podman build ${[...build, ...npmMounts(settings).map((mount) => `--volume=${mount}`)].join(' ')} "$@"
`
}
