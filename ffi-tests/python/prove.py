# SPDX-License-Identifier: MIT OR Apache-2.0
"""Proves a sector from Python: the library is loaded while the program runs, by ctypes alone.

usage: prove.py LIBCUZK C1_FILE SECTOR_NUMBER ACTOR_ID PARAMETER_FOLDER
"""

import ctypes
import sys
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int32, c_int64, c_size_t
from ctypes import c_uint8, c_uint32, c_uint64, c_void_p

# What of cuzk.h is used here, for this ABI.
ABI = 1
OK, INVALID_C1, TIMEOUT = 0, 7, 15
BACKEND_CPU = 2
PHASES = ["queued", "planning", "proving", "finishing", "done"]
Bytes32 = c_uint8 * 32


class Growing(ctypes.Structure):
    """A structure that starts with its size: zero is the default everywhere else."""

    def __init__(self, **members):
        super().__init__(struct_size=ctypes.sizeof(self), **members)


class Error(Growing):
    _fields_ = [("struct_size", c_uint32), ("status", c_int32), ("message", c_char * 1024)]


class ContextOptions(Growing):
    _fields_ = [
        ("struct_size", c_uint32),
        ("backend", c_int32),
        ("self_verification", c_int32),
        ("log_level", c_int32),
        ("threads", c_size_t),
        ("host_memory_bytes", c_uint64),
        ("device_memory_bytes", c_uint64),
        ("devices", c_char_p),
        ("parameter_directory", c_char_p),
        ("log", c_void_p),
        ("log_user", c_void_p),
    ]


class Request(Growing):
    _fields_ = [
        ("struct_size", c_uint32),
        ("sector_number", c_uint64),
        ("c1", c_char_p),
        ("c1_len", c_size_t),
        ("prover_id", Bytes32),
    ]


class Progress(Growing):
    _fields_ = [
        ("struct_size", c_uint32),
        ("phase", c_int32),
        ("requests_done", c_uint64),
        ("requests_total", c_uint64),
        ("partitions_done", c_uint64),
        ("partitions_total", c_uint64),
        ("fraction", c_double),
    ]


class Statement(Growing):
    _fields_ = [("struct_size", c_uint32), ("registered_proof", c_uint32)]
    _fields_ += [("sector_number", c_uint64)]
    _fields_ += [(name, Bytes32) for name in ["prover_id", "comm_r", "comm_d", "ticket", "seed"]]


class CuzkError(Exception):
    """A status other than OK, with the library's text."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Library:
    """The functions of cuzk.h that are used here. What fails raises a CuzkError."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        # Before anything else: with another number every structure may be another.
        self.c.cuzk_abi_version.restype = c_uint32
        if (abi := self.c.cuzk_abi_version()) != ABI:
            raise SystemExit(f"{path} has ABI {abi}, this program needs {ABI}")
        pointer, size = c_void_p, c_size_t
        for name, *arguments in [
            ("cuzk_prover_id_from_actor", c_uint64, Bytes32),
            ("cuzk_context_new", POINTER(ContextOptions), POINTER(pointer)),
            ("cuzk_c2_prove_start", pointer, POINTER(Request), size, pointer, POINTER(pointer)),
            ("cuzk_job_wait", pointer, c_int64),
            ("cuzk_job_progress", pointer, POINTER(Progress)),
            ("cuzk_job_result_proof", pointer, size, POINTER(pointer), POINTER(size)),
            ("cuzk_c2_statement_from_c1", c_char_p, size, c_uint64, Bytes32, POINTER(Statement)),
            ("cuzk_c2_verify", pointer, POINTER(Statement), c_char_p, size, POINTER(c_bool)),
        ]:
            function = getattr(self.c, name)
            function.restype, function.argtypes = c_int32, [*arguments, POINTER(Error)]
            setattr(self, name.removeprefix("cuzk_"), self.checked(function))
        for name in ["cuzk_job_free", "cuzk_context_free"]:
            function = getattr(self.c, name)
            function.restype, function.argtypes = None, [pointer]

    @staticmethod
    def checked(function):
        def call(*arguments):
            error = Error()
            status = function(*arguments, byref(error))
            if status != OK:
                raise CuzkError(status, error.message.decode())

        return call


def result(cuzk, job, i):
    """The proof of request i, or its CuzkError."""
    proof, length = c_void_p(), c_size_t()
    cuzk.job_result_proof(job, i, byref(proof), byref(length))
    return ctypes.string_at(proof, length.value)


def expect(status, call, *arguments):
    try:
        call(*arguments)
    except CuzkError as error:
        assert error.status == status, f"status {error.status}, {status} wanted: {error}"
        print(f"as it should, status {status}: {error}")
        return
    raise AssertionError(f"no error, status {status} wanted")


def main(path, c1_file, sector, actor, folder):
    cuzk = Library(path)
    with open(c1_file, "rb") as file:
        c1 = file.read()
    sector, prover_id = int(sector), Bytes32()
    cuzk.prover_id_from_actor(int(actor), prover_id)

    context, job = c_void_p(), c_void_p()
    options = ContextOptions(backend=BACKEND_CPU, parameter_directory=folder.encode())
    cuzk.context_new(byref(options), byref(context))

    # One request that is cut, one that is good. What they point to is copied.
    requests = (Request * 2)(
        Request(sector_number=sector, c1=c1[:999], c1_len=999, prover_id=prover_id),
        Request(sector_number=sector, c1=c1, c1_len=len(c1), prover_id=prover_id),
    )
    cuzk.c2_prove_start(context, requests, 2, None, byref(job))
    expect(TIMEOUT, cuzk.job_wait, job, 0)
    seen, ended = None, False
    while not ended:
        try:
            cuzk.job_wait(job, 200)
            ended = True
        except CuzkError as error:
            if error.status != TIMEOUT:
                raise
        progress = Progress()
        cuzk.job_progress(job, byref(progress))
        step = (progress.phase, progress.requests_done)
        if step != seen:
            print(f"{100 * progress.fraction:3.0f} %, {PHASES[progress.phase]}")
            seen = step
    assert seen == (len(PHASES) - 1, 2), seen

    expect(INVALID_C1, result, cuzk, job, 0)
    proof = result(cuzk, job, 1)
    statement, valid = Statement(), c_bool()
    cuzk.c2_statement_from_c1(c1, len(c1), sector, prover_id, byref(statement))
    cuzk.c2_verify(context, byref(statement), proof, len(proof), byref(valid))
    assert valid.value
    cuzk.c.cuzk_job_free(job)
    cuzk.c.cuzk_context_free(context)
    print(f"{len(proof)} bytes, valid: {proof[:16].hex()}...")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        raise SystemExit(__doc__.splitlines()[2])
    main(*sys.argv[1:])
