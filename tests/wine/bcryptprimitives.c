/* The random numbers of Rust's standard library come from `bcryptprimitives.dll`, which Wine before 9 does not have. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
    while (length > 0) {
        ULONG part = length > 1 << 20 ? 1 << 20 : (ULONG)length;
        if (!SystemFunction036(buffer, part))
            return FALSE;
        buffer += part;
        length -= part;
    }
    return TRUE;
}
