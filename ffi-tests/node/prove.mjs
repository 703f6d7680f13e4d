// SPDX-License-Identifier: MIT OR Apache-2.0
// Proves a sector from Node.js: the library is loaded while the program runs, by koffi. What takes
// long is called asynchronously, on koffi's threads: the event loop goes on meanwhile.
//
// usage: node prove.mjs LIBCUZK C1_FILE SECTOR_NUMBER ACTOR_ID PARAMETER_FOLDER

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import koffi from 'koffi';

if (process.argv.length !== 7) {
    console.error('usage: node prove.mjs LIBCUZK C1_FILE SECTOR_NUMBER ACTOR_ID PARAMETER_FOLDER');
    process.exit(2);
}
const [path, c1File, sectorText, actorText, folder] = process.argv.slice(2);

// What of cuzk.h is used here, for this ABI.
const ABI = 1;
const OK = 0, INVALID_C1 = 7, CANCELLED = 14, TIMEOUT = 15;
const BACKEND_CPU = 2;
const PHASES = ['queued', 'planning', 'proving', 'finishing', 'done'];

const bytes32 = koffi.array('uint8_t', 32, 'Array');
const CuzkErrorOut = koffi.struct('cuzk_error', {
    struct_size: 'uint32_t', status: 'int32_t', message: koffi.array('char', 1024),
});
const ContextOptions = koffi.struct('cuzk_context_options', {
    struct_size: 'uint32_t', backend: 'int32_t', self_verification: 'int32_t',
    log_level: 'int32_t', threads: 'size_t', host_memory_bytes: 'uint64_t',
    device_memory_bytes: 'uint64_t', devices: 'const char *', parameter_directory: 'const char *',
    log: 'void *', log_user: 'void *',
});
const Request = koffi.struct('cuzk_c2_request', {
    struct_size: 'uint32_t', sector_number: 'uint64_t', c1: 'const uint8_t *', c1_len: 'size_t',
    prover_id: bytes32,
});
const Progress = koffi.struct('cuzk_progress', {
    struct_size: 'uint32_t', phase: 'int32_t', requests_done: 'uint64_t',
    requests_total: 'uint64_t', partitions_done: 'uint64_t', partitions_total: 'uint64_t',
    fraction: 'double',
});
const Statement = koffi.struct('cuzk_c2_statement', {
    struct_size: 'uint32_t', registered_proof: 'uint32_t', sector_number: 'uint64_t',
    prover_id: bytes32, comm_r: bytes32, comm_d: bytes32, ticket: bytes32, seed: bytes32,
});
koffi.opaque('cuzk_context');
koffi.opaque('cuzk_job');

// Before anything else: with another number every structure may be another.
const library = koffi.load(path);
const abi = library.func('uint32_t cuzk_abi_version()')();
assert.equal(abi, ABI, `${path} has ABI ${abi}, this program needs ${ABI}`);

// A status other than OK, with the library's text.
class CuzkError extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}

// A growing structure with its size and zeros where nothing is given.
function growing(type, members = {}) {
    const place = Buffer.alloc(koffi.sizeof(type));
    const value = { ...koffi.decode(place, type), struct_size: place.length, ...members };
    koffi.encode(place, type, value);
    return place;
}

// Binds a function whose last parameter is the error: at once, and as a promise.
function bind(declaration) {
    const raw = library.func(declaration);
    const rawAsync = promisify(raw.async);
    const check = (status, error) => {
        if (status !== OK) {
            throw new CuzkError(status, koffi.decode(error, CuzkErrorOut).message);
        }
    };
    const call = (...args) => {
        const error = growing(CuzkErrorOut);
        check(raw(...args, error), error);
    };
    call.async = async (...args) => {
        const error = growing(CuzkErrorOut);
        check(await rawAsync(...args, error), error);
    };
    return call;
}

const cuzk = {
    proverId: bind('int32_t cuzk_prover_id_from_actor(uint64_t, uint8_t *, void *)'),
    contextNew: bind('int32_t cuzk_context_new(void *, _Out_ cuzk_context **, void *)'),
    start: bind('int32_t cuzk_c2_prove_start(cuzk_context *, cuzk_c2_request *, size_t, void *, ' +
        '_Out_ cuzk_job **, void *)'),
    wait: bind('int32_t cuzk_job_wait(cuzk_job *, int64_t, void *)'),
    cancel: bind('int32_t cuzk_job_cancel(cuzk_job *, void *)'),
    progress: bind('int32_t cuzk_job_progress(cuzk_job *, void *, void *)'),
    resultProof: bind('int32_t cuzk_job_result_proof(cuzk_job *, size_t, _Out_ uint8_t **, ' +
        '_Out_ size_t *, void *)'),
    statement: bind('int32_t cuzk_c2_statement_from_c1(uint8_t *, size_t, uint64_t, uint8_t *, ' +
        'void *, void *)'),
    verify: bind('int32_t cuzk_c2_verify(cuzk_context *, void *, uint8_t *, size_t, ' +
        '_Out_ bool *, void *)'),
    jobFree: library.func('void cuzk_job_free(cuzk_job *)'),
    contextFree: library.func('void cuzk_context_free(cuzk_context *)'),
};

const c1 = readFileSync(c1File);
const sector = BigInt(sectorText);
const proverId = Buffer.alloc(32);
cuzk.proverId(BigInt(actorText), proverId);

const context = [null];
cuzk.contextNew(growing(ContextOptions, { backend: BACKEND_CPU, parameter_directory: folder }),
    context);

// Starts a job; what the requests point to is copied.
function start(...outputs) {
    const requests = outputs.map((bytes) => ({
        struct_size: koffi.sizeof(Request), sector_number: sector, c1: bytes,
        c1_len: bytes.length, prover_id: [...proverId],
    }));
    const job = [null];
    cuzk.start(context[0], requests, requests.length, null, job);
    return job[0];
}

function result(job, i) {
    const proof = [null], length = [0];
    cuzk.resultProof(job, i, proof, length);
    return Buffer.from(koffi.decode(proof[0], koffi.array('uint8_t', Number(length[0]))));
}

function expect(status, call) {
    assert.throws(call, (error) => {
        assert.equal(error.status, status, error.message);
        console.log(`as it should, status ${status}: ${error.message}`);
        return true;
    });
}

// One request that is cut, one that is good.
const job = start(c1.subarray(0, 999), c1);
expect(TIMEOUT, () => cuzk.wait(job, 0));
let ended = false;
const waiting = cuzk.wait.async(job, -1).then(() => { ended = true; });
let turns = 0, seen = '';
while (!ended) {
    await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 100))]);
    turns += 1;
    const place = growing(Progress);
    cuzk.progress(job, place);
    const now = koffi.decode(place, Progress);
    const line = `${Math.floor(100 * now.fraction)} %, ${PHASES[now.phase]}`;
    if (line !== seen) console.log(line);
    seen = line;
}
assert.equal(seen, '100 %, done');
assert(turns > 10, 'the event loop stood still');

expect(INVALID_C1, () => result(job, 0));
const proof = result(job, 1);
const statement = growing(Statement);
cuzk.statement(c1, c1.length, sector, proverId, statement);
const valid = [false];
await cuzk.verify.async(context[0], statement, proof, proof.length, valid);
assert.equal(valid[0], true);

// A job that is cancelled while a thread waits for it.
const second = start(c1, c1);
const end = cuzk.wait.async(second, -1);
cuzk.cancel(second);
await end;
expect(CANCELLED, () => result(second, 1));

cuzk.jobFree(second);
cuzk.jobFree(job);
cuzk.contextFree(context[0]);
console.log(`${proof.length} bytes, valid: ${proof.toString('hex', 0, 16)}...`);
